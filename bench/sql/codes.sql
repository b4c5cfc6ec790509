-- Makes :count codes of the team's people, as CodeStore.exchange leaves them, and prints their texts.
WITH made AS MATERIALIZED (
    SELECT n, slot, 'c' || replace(gen_random_uuid()::text, '-', '') || '.0.'
        || (ARRAY['mrsq', 'mrsw', 'mrsx', 'mrsy'])[slot + 1] || '.'
        || translate(rtrim(encode(uuid_send(gen_random_uuid()), 'base64'), '='), '+/', '-_') AS code
    FROM generate_series(1, :count) AS n,
        (SELECT ((extract(epoch FROM now())::bigint / 900) % 4)::integer AS slot) AS quarter
), stored AS (
    INSERT INTO authorization_codes (
        team_id, slot, code_hash, client_id, app_id, sub, redirect_uri, nonce, email, is_email_verified,
        is_private_email, delivers_user, authenticated_at, expires_at
    )
    SELECT :'team', slot, sha256(convert_to(code, 'UTF8')), :'client', :'app',
        '000000.' || md5('person ' || 1 + n % :people) || '.0000', :'return_url', md5('nonce ' || n),
        'ada' || 1 + n % :people || '@acme.example', true, false, false, now(), now() + interval '1 hour'
    FROM made
)
SELECT code FROM made;
