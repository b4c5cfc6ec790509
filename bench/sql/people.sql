-- People :first to :last of the team, each with a consent that shares name and address, delivered long ago.
INSERT INTO users (team_id, sub, given_name, family_name, email, is_email_verified)
SELECT :'team', '000000.' || md5('person ' || n) || '.0000', 'Ada', 'Number ' || n, 'ada' || n || '@acme.example', true
FROM generate_series(:first, :last) AS n;

INSERT INTO consents (
    team_id, sub, app_id, shares_name, shares_email, hides_email, given_name, family_name, granted_at, ip, delivered_at
)
SELECT :'team', '000000.' || md5('person ' || n) || '.0000', :'app', true, true, false, 'Ada', 'Number ' || n, now(),
    '127.0.0.1', now()
FROM generate_series(:first, :last) AS n;
