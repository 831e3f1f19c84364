"""The plugins that organisers upload for one challenge: stored, and unpacked where they run.

An upload is one file of the challenge, and on each host a package for the sandbox. What its plugins
say of themselves is asked by `services.plugins.own`. Needs `files` and `plugins`.
"""
