"""The reasoner for code that was written for rdflib.

``rdflib_store`` is the store that rdflib knows as the plugin ``Reasoner``, with its named graphs and prefixes.
"""
