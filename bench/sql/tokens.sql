-- Makes a refresh token for each of the people :first to :first + :count - 1 (around again after :people of them),
-- as CodeStore.redeem leaves it, and prints their texts.
WITH made AS MATERIALIZED (
    SELECT n, 'r' || replace(gen_random_uuid()::text, '-', '') || '.0.mrs.'
        || translate(rtrim(encode(uuid_send(gen_random_uuid()), 'base64'), '='), '+/', '-_') AS token
    FROM generate_series(0, :count - 1) AS n
), stored AS (
    INSERT INTO refresh_tokens (
        team_id, token_id, sub, app_id, client_id, authenticated_at, created_at, last_used_at
    )
    SELECT :'team', substr(sha256(convert_to(token, 'UTF8')), 1, 16),
        '000000.' || md5('person ' || :first + n % :people) || '.0000', :'app', :'client', now(), now(), now()
    FROM made
)
SELECT token FROM made;
