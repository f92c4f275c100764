"""Make a study of counterfactual explanations of a folder of ratings (Yao, Wang & Li 2022, 4.2).

reading.py reads the folder, choosing.py makes one question, making.py all of them and the files of
the study, which are then loaded as any others.
"""
