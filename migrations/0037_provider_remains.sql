-- What no release reads or writes any more: the body of a handover, which was kept and never read, and an index whose
-- rounds walk from team to team by now.
ALTER TABLE native_handovers DROP COLUMN body_sealed;
DROP INDEX provider_trips_answered_at;
