-- An operator who owns the team too and is signed in: the session's token is the 32 octets of :token.
INSERT INTO users (team_id, sub, given_name, family_name, email, is_email_verified)
VALUES ('PIPPIN0000', '000000.' || md5('olive') || '.0000', 'Olive', 'Branch', 'olive@pippin.example', true)
ON CONFLICT DO NOTHING;
INSERT INTO memberships (team_id, sub, role)
SELECT team, '000000.' || md5('olive') || '.0000', role
FROM (VALUES ('PIPPIN0000', 'operator'), (:'team', 'owner')) AS held (team, role)
ON CONFLICT DO NOTHING;
INSERT INTO sessions (team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent)
VALUES (
    'PIPPIN0000', sha256(decode(:'token', 'hex')), '000000.' || md5('olive') || '.0000', now(), now(),
    now() + interval '1 day', '127.0.0.1', 'bench'
);
