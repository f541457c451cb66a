"""A reasoner as tools for an assistant, by the Model Context Protocol over standard input and output.

``tools`` is what an assistant can ask and do, with text of bounded size as the answer, and the server that offers it.
"""
