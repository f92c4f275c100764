"""Report how far a judge's answers move when a prompt changes as should not matter."""
