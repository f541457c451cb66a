"""Campaigns: random trials by the thousand, which anyone can stop, resume and rerun.

Read in this order:

- ``record``: the trials of a campaign, recorded so that they add up over runs.
- ``watched``: trials in a process of their own, with limits of time and memory.
- ``fuzz``: mutated inputs for everything that reads (``make fuzz``), ``fuzz_readers`` with what reads and from what.
- ``crash``: kills, lost writes, damages and full disks (``make crash``), ``crash_model`` with its commits.
- ``differential``: queries against another library, and in two ways (``make differential``).
- ``steps``: update steps against starting over, as part of ``make soak``.
- ``history``: many clients of one server, and whether what they saw is one history (``make history``).
- ``mutation``: changes of the code that a test should notice (``make mutation``).
"""
