"""What users may write: decoded bodies become new and changed records, or a report of what is wrong.

The API decodes into the input structs, so a body that breaks the schema never gets here; `decide` calls
the `new_` and `changed_` functions, which judge the meaning.
"""
