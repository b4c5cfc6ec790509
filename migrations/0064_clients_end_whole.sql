-- A client has ended once nothing is left of it. How many tokens a step deleted does not tell that: of those it had chosen
-- somebody else may have been deleting one, and then it deletes fewer than there are.
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
        DELETE FROM ended_clients
        WHERE team_id = ended.team_id AND client_id = ended.client_id AND NOT EXISTS (
            SELECT FROM refresh_tokens
            WHERE team_id = ended.team_id AND client_id = ended.client_id AND authenticated_at > '-infinity'
        );
        EXIT WHEN total >= batch;
    END LOOP;
    RETURN total;
END
$$;

-- Of those that ended before: a client that is gone and has tokens ends once more.
INSERT INTO ended_clients (team_id, client_id)
SELECT DISTINCT team_id, client_id FROM refresh_tokens AS token
WHERE NOT EXISTS (
    SELECT FROM client_identifiers AS known
    WHERE known.team_id = token.team_id AND known.identifier = token.client_id
)
ON CONFLICT DO NOTHING;
