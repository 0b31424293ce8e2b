"""What people look at: HTML, SVG, matplotlib, tables for terminal and page, export.

Takes plain names and numbers; one renderer for terminal, notebook, report and page. Imports stats.
"""
