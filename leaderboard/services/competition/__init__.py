"""The rules of a competition: who may submit, when, and how often.

Only this package enforces these rules. `admission` checks all attempts: single ones, those of a
bulk, a form or a file. `clock` gives the time at which a request began. The packages above
(`attempts`, `challenges`, `imports`, `scoring`, `accounts`), `tokens` and the interfaces import
this package; of the other packages it imports only `board`. `Access` decides who sees what, and
`visible_board` is the board that a reader sees.
"""
