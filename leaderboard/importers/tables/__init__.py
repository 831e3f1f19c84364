"""Reads tables of unknown origin (CSV, Excel): finds the header, the columns and their meaning."""
