"""The pages that follow from the code, one module each."""
