"""Writers that put a syntax tree into another language. None of them lets a name through unescaped."""
