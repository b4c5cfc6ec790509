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
