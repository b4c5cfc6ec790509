-- :people users with a name to sign in with, a consent, and every fifth with a session; half of them Acme's.
SET session_replication_role = replica;

CREATE TEMPORARY TABLE population_people AS
SELECT *, CASE WHEN given || family ~ '^[A-Za-z]+$' THEN lower(given || '.' || family) ELSE 'person' END || n || '@mail'
    || n % 7 || '.example' AS email
FROM (
    SELECT n, population_team(n, :teams) AS team, population_sub(n) AS sub,
        now() - (:people - n) * interval '60 seconds' AS joined,
        (ARRAY['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gia', 'Hugo', 'Ines', 'Jan', 'Kira', 'Leo', 'Mia', 'Noah',
            'Olga', 'Paul', 'Qiu', 'Rosa', 'Sven', 'Tara', 'Uma', 'Vera', 'Wim', 'Xenia', 'Yara', 'Zoë', 'Мария', '伟'])
            [1 + n * 31 / 7 % 28] AS given,
        (ARRAY['Lovelace', 'Moor', 'Nilsson', 'Ortiz', 'Petit', 'Quist', 'Rossi', 'Santos', 'Tanaka', 'Urban', 'Vogel',
            'Weiss', 'Xu', 'Young', 'Zander', 'Ångström', 'Иванова', 'Baker', 'Costa', 'Diaz', 'Evans'])
            [1 + n * 17 / 5 % 21] AS family
    FROM generate_series(1, :people) AS n
) AS named;

INSERT INTO users (
    team_id, sub, given_name, family_name, email, is_email_verified, relay_address, created_at, last_sign_in_at,
    suspended_at
)
SELECT team, sub, given, family, email, true,
    CASE WHEN n % 5 = 0 THEN left(sub, 20) || n || '@relay.example' END, joined, now() - n % 90 * interval '1 day',
    CASE WHEN n % 1000 = 999 THEN now() END
FROM population_people;

-- No trigger fires here; the server writes the terms that find them.
INSERT INTO user_search_changes (team_id, sub) SELECT team, sub FROM population_people;

INSERT INTO login_names (team_id, login, sub)
SELECT team, email, sub FROM population_people;

INSERT INTO passwords (team_id, sub, hash)
SELECT c.team, c.sub, p.hash FROM population_people c, (SELECT hash FROM passwords WHERE team_id = :'team' LIMIT 1) AS p;

INSERT INTO consents (
    team_id, sub, app_id, shares_name, shares_email, hides_email, given_name, family_name, granted_at, ip, delivered_at
)
SELECT team, sub, population_app(team), true, true, n % 5 = 0, given, family, joined, population_ip(n), joined
FROM population_people;

INSERT INTO sessions (team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent)
SELECT team, sha256(convert_to(sub, 'UTF8')), sub, now() - interval '1 day', now(), now() + interval '30 days',
    population_ip(n), 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0'
FROM population_people WHERE n % 5 = 1 OR n % 5 = 2;

ANALYZE users, login_names, passwords, consents, sessions;
