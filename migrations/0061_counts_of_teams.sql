-- Sign-ins are counted by team and day, in one row whatever the team registers and deletes meanwhile. When somebody last
-- signed in to a Service ID is kept beside it, and goes with it.
CREATE TABLE service_id_sign_ins (
    team_id text COLLATE "C" NOT NULL,
    service_id text COLLATE "C" NOT NULL,
    last_day date NOT NULL,
    PRIMARY KEY (team_id, service_id),
    FOREIGN KEY (team_id, service_id) REFERENCES service_ids ON DELETE CASCADE
);
SELECT pippin_wall('service_id_sign_ins');
GRANT SELECT, INSERT, UPDATE, DELETE ON service_id_sign_ins TO pippin_app;

INSERT INTO service_id_sign_ins (team_id, service_id, last_day)
SELECT team_id, identifier, max(day)
FROM service_ids JOIN daily_counts USING (team_id)
WHERE measure = 'sign_in' AND subject = identifier
GROUP BY team_id, identifier;

WITH counted AS (
    DELETE FROM daily_counts WHERE measure = 'sign_in' AND subject <> ''
    RETURNING team_id, day, count
)
INSERT INTO daily_counts AS known (team_id, measure, day, subject, count)
SELECT team_id, 'sign_in', day, '', sum(count) FROM counted GROUP BY team_id, day
ON CONFLICT (team_id, measure, day, subject) DO UPDATE SET count = known.count + excluded.count;

-- A token is looked up by its own name, also while the database has no statistics of the table, as after a restore: then
-- an index of the client alone looked cheaper to it, and each look went through all tokens of the client. The index is for
-- the end of a client: no other statement spells its condition, which holds for all rows.
CREATE INDEX refresh_tokens_of_client ON refresh_tokens (team_id, client_id) WHERE authenticated_at > '-infinity';
DROP INDEX refresh_tokens_client;
CREATE OR REPLACE FUNCTION pippin_purge_ended_clients(batch integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    ended record;
    went bigint;
    total bigint := 0;
BEGIN
    FOR ended IN
        SELECT team_id, client_id FROM ended_clients ORDER BY ended_at LIMIT batch FOR UPDATE SKIP LOCKED
    LOOP
        DELETE FROM refresh_tokens WHERE (team_id, token_id) IN (
            SELECT team_id, token_id FROM refresh_tokens
            WHERE team_id = ended.team_id AND client_id = ended.client_id AND authenticated_at > '-infinity'
            LIMIT batch - total
        );
        GET DIAGNOSTICS went = ROW_COUNT;
        total := total + went;
        EXIT WHEN total >= batch;
        DELETE FROM ended_clients WHERE team_id = ended.team_id AND client_id = ended.client_id;
    END LOOP;
    RETURN total;
END
$$;
