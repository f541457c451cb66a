"""The workbench: one page for browsers that shows what the API tells.

- ``page``: the page and its files, with the headers that keep foreign scripts out.
- ``static``, a folder of plain files: ``index.html``, ``style.css`` and modules of JavaScript, of which ``app.js`` is
  the first; nothing is built, and nothing comes from elsewhere.
"""
