"""What answers look like, as types: the rows of `wire/endpoints` name them, and the published contract is made of them.

The answers themselves are made by the functions of the same noun in `wire`; tests hold every answer against its type.
"""
