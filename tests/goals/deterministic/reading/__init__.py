"""Reading: a goal's language, its tokens, and the typed values that it names.

`language` has the languages, `text` the tokens, `values` the values, and `quantities` the units
of parameters.
"""
