import config  # noqa: F401  # before numpy: one thread of BLAS, as wherever the product runs
