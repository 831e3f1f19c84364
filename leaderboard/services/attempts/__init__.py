"""Accepting attempts, reading them, and the actions of organisers on them.

It submits one attempt or a bulk, creates participants on first use, checks evidence and saves it
beside the attempt, and gives attempts their places in the queue. It also withdraws, retries and
reads attempts. The packages above (`challenges`, `imports`, `scoring`) and the interfaces import
it.
"""
