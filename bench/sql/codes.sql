-- Makes :count codes, as CodeStore.exchange leaves them, each with the sign-in it ends, and prints their texts. :sub is
-- the person of number n.
WITH made AS MATERIALIZED (
    SELECT n, time_partition,
        pippin_trace_prefix(now()) || left(md5('code ' || n || now()), 16) AS trace_id,
        'c' || replace(gen_random_uuid()::text, '-', '') || '.0.'
            || (ARRAY['mrsq', 'mrsw', 'mrsx', 'mrsy'])[time_partition + 1] || '.'
            || translate(rtrim(encode(uuid_send(gen_random_uuid()), 'base64'), '='), '+/', '-_') AS code
    FROM generate_series(1, :count) AS n,
        (SELECT ((extract(epoch FROM now())::bigint / 900) % 4)::integer AS time_partition) AS quarter
), stored AS (
    INSERT INTO authorization_codes (
        team_id, time_partition, code_hash, client_id, app_id, sub, redirect_uri, nonce, email, is_email_verified,
        is_private_email, delivers_user, authenticated_at, expires_at, trace_id
    )
    SELECT :'team', time_partition, sha256(convert_to(code, 'UTF8')), :'client', :'app',
        :sub, :'return_url', md5('nonce ' || n), 'ada' || n || '@acme.example', true, false, false, now(),
        now() + interval '1 hour', trace_id
    FROM made
)
SELECT code FROM made;
