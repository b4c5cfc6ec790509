-- An offer answers alike whether the team it names exists: it is kept in any case, and a team that does not exist never
-- takes it. The release before this one refuses such a team by the constraint, and keeps its offer without it.
ALTER TABLE app_transfers DROP CONSTRAINT app_transfers_target_team_fkey;

-- The member who offered. The offer ends when they may no longer make one; null for those made before this column.
ALTER TABLE app_transfers ADD COLUMN offered_by text COLLATE "C";
