-- What was accepted is kept for long, and a team may have any number of it: a day's is counted, and a page of it read,
-- by an index that has it in its order. Only those statements spell the time so: sign-ins, which ask for one App ID,
-- are not led past all the others, whatever the database knows of their number.
CREATE INDEX app_transfers_given_at ON app_transfers (team_id, (settled_at AT TIME ZONE 'UTC'))
WHERE state = 'accepted';
CREATE INDEX app_transfers_taken_at ON app_transfers (target_team, (settled_at AT TIME ZONE 'UTC'))
WHERE state = 'accepted';

-- The same of what others offer and of what came to nothing.
CREATE INDEX app_transfers_waiting ON app_transfers (target_team, offered_at) WHERE state = 'offered';
CREATE INDEX app_transfers_ended ON app_transfers (target_team, offered_at) WHERE state IN ('declined', 'withdrawn');
DROP INDEX app_transfers_target_team;

-- What is over is found among all teams, by when it may go. By an index of the plain times the page of one team could
-- be read in a walk past the rows of all others.
DROP INDEX app_transfers_age;
CREATE INDEX app_transfers_age ON app_transfers ((offered_at AT TIME ZONE 'UTC' + interval '28 days'))
WHERE state <> 'accepted';
CREATE INDEX app_transfers_accepted_age ON app_transfers ((settled_at AT TIME ZONE 'UTC' + interval '61 days'))
WHERE state = 'accepted';

-- An offer stands for fourteen days, and is shown for as long once it was settled. By an accepted one people are moved
-- for sixty days; from then on it tells only how the App ID stands with a team that has it, by the last transfer of it.
-- So it goes once the team that gave has the App ID no more, with which went whoever used it there, or has given or
-- taken it since, and once the team that took has not given it before, or has given or taken it since.
CREATE OR REPLACE FUNCTION pippin_purge_app_transfers(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    WITH unanswered AS MATERIALIZED (
        SELECT team_id, transfer_id FROM app_transfers
        WHERE state <> 'accepted' AND offered_at AT TIME ZONE 'UTC' + interval '28 days' < now() AT TIME ZONE 'UTC'
        ORDER BY offered_at AT TIME ZONE 'UTC' + interval '28 days' LIMIT batch FOR UPDATE SKIP LOCKED
    ), past AS MATERIALIZED (
        SELECT team_id, transfer_id FROM app_transfers AS move
        WHERE state = 'accepted' AND settled_at AT TIME ZONE 'UTC' + interval '61 days' < now() AT TIME ZONE 'UTC'
            AND (
                NOT EXISTS (
                    SELECT FROM app_ids WHERE app_ids.team_id = move.team_id AND identifier = move.app_id
                )
                OR EXISTS (
                    SELECT FROM app_transfers AS later
                    WHERE later.team_id = move.team_id AND later.app_id = move.app_id
                        AND later.state = 'accepted' AND later.settled_at > move.settled_at
                )
                OR EXISTS (
                    SELECT FROM app_transfers AS later
                    WHERE later.target_team = move.team_id AND later.app_id = move.app_id
                        AND later.state = 'accepted' AND later.settled_at > move.settled_at
                )
            )
            AND (
                NOT EXISTS (
                    SELECT FROM app_transfers AS earlier
                    WHERE earlier.team_id = move.target_team AND earlier.app_id = move.app_id
                        AND earlier.state = 'accepted' AND earlier.settled_at <= move.settled_at
                )
                OR EXISTS (
                    SELECT FROM app_transfers AS later
                    WHERE later.team_id = move.target_team AND later.app_id = move.app_id
                        AND later.state = 'accepted' AND later.settled_at > move.settled_at
                )
                OR EXISTS (
                    SELECT FROM app_transfers AS later
                    WHERE later.target_team = move.target_team AND later.app_id = move.app_id
                        AND later.state = 'accepted' AND later.settled_at > move.settled_at
                )
            )
        ORDER BY settled_at AT TIME ZONE 'UTC' + interval '61 days' LIMIT batch FOR UPDATE SKIP LOCKED
    ), purged AS (
        DELETE FROM app_transfers WHERE (team_id, transfer_id) IN (
            (SELECT team_id, transfer_id FROM unanswered UNION ALL SELECT team_id, transfer_id FROM past) LIMIT batch
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;

-- A page of the keys that a team has and had, and their number, without a sort of all of them.
CREATE INDEX keys_created_at ON keys (team_id, created_at DESC, key_id DESC);
