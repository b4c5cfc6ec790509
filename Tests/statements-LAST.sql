-- pippin_app
INSERT INTO consents (
    team_id, sub, app_id, shares_name, shares_email, hides_email, granted_at, ip
) VALUES ('ACMETEAM01', 'ada', 'com.acme.app', true, true, false, now(), '')
;
-- pippin_app
INSERT INTO refresh_tokens (
    team_id, token_id, sub, app_id, client_id, authenticated_at, created_at, last_used_at
) VALUES ('ACMETEAM01', '\x01', 'ada', 'com.acme.app', 'com.acme.web', now(), now(), now())
;
-- pippin_app
INSERT INTO return_urls (team_id, service_id, rank, url)
VALUES ('ACMETEAM01', 'com.acme.web', 11, 'https://acme.example/11')
;
-- pippin_app
INSERT INTO transferred_people (
    team_id, transfer_sub, app_id, from_team, shares_name, shares_email, hides_email,
    given_name, family_name, is_email_verified, expires_at
) VALUES (
    'RIVALTEAM1', 'x', 'com.acme.other', 'ACMETEAM01', false, false, false, '', '', false, now()
) ON CONFLICT DO NOTHING
;
-- pippin_app
INSERT INTO users (team_id, sub) VALUES ('ACMETEAM01', 'ada')
;
-- pippin_app
SELECT CASE WHEN current_setting('transaction_read_only') = 'on' THEN 'database_read_only' END,
    pg_backend_pid(), pg_postmaster_start_time()
;
-- pippin_app
SELECT FROM notifications
;
-- pippin_app
SELECT FROM transfer_subs
;
-- pippin_app
SELECT FROM transferred_people
;
-- pippin_app
SELECT FROM upstream_tokens WHERE state = 'ending'
;
-- pippin_app
SELECT count(*) FROM consents
;
-- pippin_app
SELECT count(*) FROM keys
;
-- pippin_app
SELECT count(*) FROM refresh_tokens
;
-- pippin_app
SELECT current_user::text
;
-- pippin_app
SELECT mail_id FROM mailbox
;
-- pippin_app
SELECT pippin_apply_audit_retention(5)
;
-- pippin_app
SELECT rank FROM service_ids WHERE identifier = 'com.acme.web6'
;
-- pippin_app
SELECT state FROM jobs
;
-- pippin_app
UPDATE app_transfers SET app_id = 'com.rival.app'
;
-- pippin_app
UPDATE app_transfers SET state = 'declined'
;
-- pippin_app 1009 1009 1009 25 1184 25
UPDATE limits SET count = GREATEST(limits.count - released.amount, 0)
FROM (
    SELECT known.subject, given.amount
    FROM limits AS known
    JOIN unnest(
        $1, $2::integer[],
        $3::timestamptz[]
    ) AS given (subject, amount, latest) ON known.subject = given.subject
    WHERE known.team_id = $4 AND known.window_ends_at > $5
        AND known.window_ends_at <= given.latest
    ORDER BY known.subject FOR NO KEY UPDATE OF known
) AS released
WHERE limits.team_id = $6 AND limits.subject = released.subject
;
-- pippin_app 1009 1009 25 25 25
WITH given AS (
    SELECT service, max(day::date) AS day
    FROM unnest($1, $2) AS given (service, day)
    GROUP BY service
), standing AS (
    SELECT identifier, day FROM service_ids JOIN given ON identifier = service
    WHERE team_id = $3 AND NOT EXISTS (
        SELECT FROM service_id_sign_ins AS noted
        WHERE noted.team_id = $4 AND noted.service_id = service AND noted.last_day >= day
    )
    ORDER BY identifier FOR KEY SHARE OF service_ids SKIP LOCKED
)
INSERT INTO service_id_sign_ins AS known (team_id, service_id, last_day)
SELECT $5, identifier, day FROM standing
ON CONFLICT (team_id, service_id)
DO UPDATE SET last_day = greatest(known.last_day, excluded.last_day)
;
-- pippin_app 1009 25
SELECT count(*) FROM (
    SELECT FROM unnest($1) AS who (name) CROSS JOIN LATERAL (
    SELECT * FROM audit_events e
    WHERE e.team_id = $2   
     AND e.actor = who.name
    ORDER BY e.at DESC, e.event_id DESC
    LIMIT 1001
) AS e ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 1009 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM unnest($1) AS who (name) CROSS JOIN LATERAL (
    SELECT * FROM audit_events e
    WHERE e.team_id = $2   
     AND e.actor = who.name
    ORDER BY e.at DESC, e.event_id DESC
    LIMIT 51
) AS e
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 1009 25
SELECT w.word, counted.number FROM unnest($1) AS w (word), LATERAL (
    SELECT count(*) AS number FROM (
        SELECT FROM audit_words a
        WHERE a.team_id = $2 AND a.word = w.word  
        LIMIT 10000
    ) AS found
) AS counted  ORDER BY 2, 1 NULLS LAST
;
-- pippin_app 1009 25 25
SELECT w.word, counted.number FROM unnest($1) AS w (word), LATERAL (
    SELECT count(*) AS number FROM (
        SELECT FROM audit_words a
        WHERE a.team_id = $2 AND a.word = w.word  
        LIMIT 10000
    ) AS found
) AS counted UNION ALL SELECT NULL, count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $3   
   AND e.outcome = 'refused'   LIMIT 10000
) AS found ORDER BY 2, 1 NULLS LAST
;
-- pippin_app 1009 25 25
UPDATE email_sources AS e
SET dkim_selectors = $1, version = e.version + 1, check_due_at = now()
WHERE e.team_id = $2 AND e.source = $3
RETURNING e.kind, e.source, e.dkim_selectors, e.version, e.created_at, e.checked_at, e.records::text
;
-- pippin_app 1009 25 25 25
SELECT w.word, counted.number FROM unnest($1) AS w (word), LATERAL (
    SELECT count(*) AS number FROM (
        SELECT FROM audit_words a
        WHERE a.team_id = $2 AND a.word = w.word  
        LIMIT 10000
    ) AS found
) AS counted UNION ALL SELECT NULL, count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $3   
     AND e.actor = $4 LIMIT 10000
) AS found ORDER BY 2, 1 NULLS LAST
;
-- pippin_app 1009 25 25 25
SELECT w.word, counted.number FROM unnest($1) AS w (word), LATERAL (
    SELECT count(*) AS number FROM (
        SELECT FROM audit_words a
        WHERE a.team_id = $2 AND a.word = w.word  
        LIMIT 10000
    ) AS found
) AS counted UNION ALL SELECT NULL, count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $3   
 AND e.target = $4      LIMIT 10000
) AS found ORDER BY 2, 1 NULLS LAST
;
-- pippin_app 1009 25 25 25 25 20 25 20
SELECT trace_id, (jsonb_build_object(
    'id', trace_id, 'clientID', client_id, 'outcome', outcome,
    'steps', (
        SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
            'kind', step->'kind', 'at', step->'at', 'ip', step->'ip', 'agent', step->'agent'
        )) ORDER BY number), '[]')
        FROM jsonb_array_elements(jsonb_build_array(opening) || steps)
            WITH ORDINALITY AS one (step, number)
        WHERE step->>'kind' = ANY ($1)
    )
))::text
FROM (
    SELECT trace_id, client_id, outcome, cause, opening::jsonb AS opening FROM traces
    WHERE team_id = $2 AND sub = $3 AND ($4 IS NULL OR trace_id < $5)
    ORDER BY trace_id DESC LIMIT $6
) AS trace CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_agg(event::jsonb ORDER BY at), '[]') AS steps
    FROM (
        SELECT at, event FROM trace_events
        WHERE trace_events.team_id = $7 AND trace_events.trace_id = trace.trace_id
        ORDER BY at, kind LIMIT $8
    ) AS kept
) AS taken
ORDER BY trace_id DESC
;
-- pippin_app 1184 1184 25 17
UPDATE upstream_tokens
SET validated_at = $1, problem = NULL, problem_at = NULL,
    validate_at = greatest(validate_at, $2)
WHERE team_id = $3 AND token_id = $4 AND state = 'live'
;
-- pippin_app 1184 1184 25 25 25 25 1184 1184 25 1184 20
WITH missing AS (
    SELECT day::timestamptz FROM generate_series(
        $1::timestamptz, $2::timestamptz, interval '1 day'
    ) AS day
    WHERE NOT EXISTS (
        SELECT FROM daily_counts
        WHERE team_id = $3 AND measure = 'new_user' AND daily_counts.day = day::date
    )
), counted AS (
    INSERT INTO daily_counts (team_id, measure, day, subject, count)
    SELECT $4, 'new_user', day::date, '', (
        SELECT count(*) FROM users
        WHERE team_id = $5 AND created_at >= day AND created_at < day + interval '1 day'
    )
    FROM missing
    ON CONFLICT DO NOTHING
    RETURNING measure, day, subject, count
)
SELECT measure, day::text, subject, count FROM daily_counts
WHERE team_id = $6 AND measure IN ('sign_in', 'failure', 'unkept', 'new_user')
    AND day >= $7::date
UNION ALL
SELECT measure, day::text, subject, count FROM counted
UNION ALL
SELECT 'new_user', $8::date::text, '', count(*) FROM (
    SELECT FROM users WHERE team_id = $9 AND created_at >= $10 LIMIT $11
) AS arrived
;
-- pippin_app 1184 17 25 17 1184 25 25 25 25 25 25 17 25 20 1184 1184 25
WITH redeemed AS (
    UPDATE authorization_codes
    SET redeemed_at = $1, token_id = $2
    WHERE team_id = $3 AND time_partition = 0 AND code_hash = $4
        AND redeemed_at IS NULL AND expires_at > $5
        AND client_id = $6
        AND redirect_uri IS NOT DISTINCT FROM coalesce($7, redirect_uri)
        AND (code_challenge IS NULL OR code_challenge = $8)
        AND test_sign_in_id IS NOT DISTINCT FROM $9
        AND EXISTS (
            SELECT FROM users
            WHERE team_id = $10 AND users.sub = authorization_codes.sub AND suspended_at IS NULL
        )
    RETURNING sub, app_id, nonce, email, is_email_verified, is_private_email, authenticated_at,
        test_sign_in_id, trace_id, delivers_user, provider, expires_at
), issued AS (
    INSERT INTO refresh_tokens (
        team_id, token_id, sub, app_id, client_id, test_sign_in_id, authenticated_at, provider,
        created_at, last_used_at
    )
    SELECT $11, $12, sub, app_id, $13, test_sign_in_id, authenticated_at, provider,
        expires_at - make_interval(secs => $14), $15
    FROM redeemed
), delivered AS (
    UPDATE consents SET delivered_at = $16
    FROM redeemed
    WHERE redeemed.delivers_user AND redeemed.test_sign_in_id IS NULL AND consents.team_id = $17
        AND consents.sub = redeemed.sub AND consents.app_id = redeemed.app_id
        AND consents.delivered_at IS NULL
)
SELECT sub, app_id, nonce, email, is_email_verified, is_private_email, authenticated_at, test_sign_in_id,
    trace_id
FROM redeemed
;
-- pippin_app 1184 17 25 17 1184 25 25 25 25 25 25 17 25 20 1184 1184 25
WITH redeemed AS (
    UPDATE authorization_codes
    SET redeemed_at = $1, token_id = $2
    WHERE team_id = $3 AND time_partition = 2 AND code_hash = $4
        AND redeemed_at IS NULL AND expires_at > $5
        AND client_id = $6
        AND redirect_uri IS NOT DISTINCT FROM coalesce($7, redirect_uri)
        AND (code_challenge IS NULL OR code_challenge = $8)
        AND test_sign_in_id IS NOT DISTINCT FROM $9
        AND EXISTS (
            SELECT FROM users
            WHERE team_id = $10 AND users.sub = authorization_codes.sub AND suspended_at IS NULL
        )
    RETURNING sub, app_id, nonce, email, is_email_verified, is_private_email, authenticated_at,
        test_sign_in_id, trace_id, delivers_user, provider, expires_at
), issued AS (
    INSERT INTO refresh_tokens (
        team_id, token_id, sub, app_id, client_id, test_sign_in_id, authenticated_at, provider,
        created_at, last_used_at
    )
    SELECT $11, $12, sub, app_id, $13, test_sign_in_id, authenticated_at, provider,
        expires_at - make_interval(secs => $14), $15
    FROM redeemed
), delivered AS (
    UPDATE consents SET delivered_at = $16
    FROM redeemed
    WHERE redeemed.delivers_user AND redeemed.test_sign_in_id IS NULL AND consents.team_id = $17
        AND consents.sub = redeemed.sub AND consents.app_id = redeemed.app_id
        AND consents.delivered_at IS NULL
)
SELECT sub, app_id, nonce, email, is_email_verified, is_private_email, authenticated_at, test_sign_in_id,
    trace_id
FROM redeemed
;
-- pippin_app 1184 20 25 1184 20 25 25 25 25 25 25 20 1184 20
SELECT transfer_id, team_id, target_team, app_id, (registration || jsonb_build_object('services', coalesce((
    SELECT jsonb_agg(service || '{"domains": [], "returnURLs": []}'::jsonb ORDER BY number)
    FROM jsonb_array_elements(registration -> 'services') WITH ORDINALITY AS one (service, number)
), '[]'::jsonb)))::text, CASE
    WHEN state = 'offered' AND offered_at <= $1
        OR state = 'withdrawn' AND settled_at >= offered_at + $2 * interval '1 second'
    THEN 'expired' ELSE state
END, offered_at, settled_at FROM (
    SELECT *, row_number() OVER (
        PARTITION BY CASE WHEN team_id = $3 THEN target_team ELSE team_id END ORDER BY (CASE
    WHEN state = 'offered' AND offered_at <= $4
        OR state = 'withdrawn' AND settled_at >= offered_at + $5 * interval '1 second'
    THEN 'expired' ELSE state
END = 'offered') DESC, offered_at DESC, transfer_id
    ) AS place
    FROM (
        (
    SELECT * FROM app_transfers WHERE team_id = $6 AND state = 'offered'
    ORDER BY offered_at DESC LIMIT 500
)
UNION ALL
(
    SELECT * FROM app_transfers WHERE team_id = $7 AND state = 'accepted'
    ORDER BY settled_at AT TIME ZONE 'UTC' DESC LIMIT 100
)
UNION ALL
(
    SELECT * FROM app_transfers WHERE team_id = $8 AND state IN ('declined', 'withdrawn')
    ORDER BY offered_at DESC LIMIT 100
)
        UNION ALL
        (
    SELECT * FROM app_transfers WHERE target_team = $9 AND state = 'offered'
    ORDER BY offered_at DESC LIMIT 500
)
UNION ALL
(
    SELECT * FROM app_transfers WHERE target_team = $10 AND state = 'accepted'
    ORDER BY settled_at AT TIME ZONE 'UTC' DESC LIMIT 100
)
UNION ALL
(
    SELECT * FROM app_transfers WHERE target_team = $11 AND state IN ('declined', 'withdrawn')
    ORDER BY offered_at DESC LIMIT 100
)
    ) AS newest
) AS transfers
WHERE place <= $12
ORDER BY (CASE
    WHEN state = 'offered' AND offered_at <= $13
        OR state = 'withdrawn' AND settled_at >= offered_at + $14 * interval '1 second'
    THEN 'expired' ELSE state
END = 'offered') DESC, offered_at DESC, transfer_id
LIMIT 500
;
-- pippin_app 1184 20 25 17
UPDATE upstream_requests SET claimed_until = NULL, settle_tries = least(settle_tries + 1, 100),
    settle_at = $1 + least(60 * 2 ^ least(settle_tries, 20), $2) * interval '1 second'
WHERE team_id = $3 AND state_hash = $4
;
-- pippin_app 1184 20 25 25 25
SELECT transfer_id, team_id, target_team, app_id, (registration)::text, CASE
    WHEN state = 'offered' AND offered_at <= $1
        OR state = 'withdrawn' AND settled_at >= offered_at + $2 * interval '1 second'
    THEN 'expired' ELSE state
END, offered_at, settled_at FROM app_transfers
WHERE transfer_id = $3 AND (team_id = $4 OR target_team = $5)
;
-- pippin_app 1184 25
UPDATE teams SET deleted_at = $1, version = version + 1 WHERE team_id = $2
;
-- pippin_app 1184 25
UPDATE teams t SET deletion_due_at = $1, version = version + 1 WHERE t.team_id = $2
RETURNING t.team_id, t.name, t.mode, t.identity_sources, t.second_factor, t.apple_keys, t.registration, t.id_token_seconds,
t.requires_verified_domains, t.account_delete_event, t.audit_retention_days, t.accent_colour,
t.privacy_url, t.terms_url, t.is_system, t.version, t.created_at, t.deletion_due_at, t.closed_at,
t.deleted_at
;
-- pippin_app 1184 25 1184
UPDATE teams SET closed_at = $1, version = version + 1
WHERE team_id = $2 AND closed_at IS NULL AND deletion_due_at <= $3
;
-- pippin_app 1184 25 1184 1184
UPDATE signing_keys SET retires_at = $1
WHERE team_id = $2 AND active_from < $3 AND (retires_at IS NULL OR retires_at > $4)
;
-- pippin_app 1184 25 1184 25 25 1184 1184 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 16 25 16 16 16 25 25 1184
WITH seen AS (
    UPDATE upstream_identities AS known
    SET last_seen_at = greatest(known.last_seen_at, $1), last_login_app_id = CASE WHEN $2 IS NULL OR known.last_login_at > $3 THEN known.last_login_app_id ELSE $4 END,
last_login_at = CASE WHEN $5 IS NULL OR known.last_login_at > $6 THEN known.last_login_at ELSE $7 END
    WHERE team_id = $8 AND provider = $9 AND identifier = $10
        AND state = 'authorized' AND linked_at IS NULL AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $11 AND unlink.provider = $12
        AND unlink.identifier_hash IN (sha256(convert_to($13, 'UTF8'))) AND unlink.app_id IN ('', $14)
        AND (unlink.unlinked_at > $15 OR unlink.reported_at > $16)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $17 AND held.sub = known.sub AND held.suspended_at IS NOT NULL
)
    RETURNING sub, email, is_private_email
)
SELECT u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version, true, c.app_id, c.shares_name, c.shares_email, c.hides_email, c.given_name, c.family_name, c.granted_at,
c.delivered_at, c.forwards_mail, c.provider, c.upstream_email, c.is_upstream_email_verified,
c.is_upstream_email_private
FROM seen
JOIN users u ON u.team_id = $18 AND u.sub = seen.sub
JOIN consents c ON c.team_id = $19 AND c.sub = seen.sub AND c.app_id = $20
WHERE seen.email = $21 AND seen.is_private_email = $22
    AND u.email = $23 AND u.is_email_verified = $24
    AND u.is_private_email = $25
    AND c.shares_email >= $26 AND NOT EXISTS (SELECT FROM upstream_announcements AS waiting
    WHERE waiting.team_id = $27 AND waiting.sub = seen.sub AND waiting.app_id = $28
        AND waiting.held_until <= $29)
;
-- pippin_app 1184 25 1184 25 25 1184 1184 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 25 1184
WITH seen AS (
    UPDATE upstream_identities AS known
    SET last_seen_at = greatest(known.last_seen_at, $1), last_login_app_id = CASE WHEN $2 IS NULL OR known.last_login_at > $3 THEN known.last_login_app_id ELSE $4 END,
last_login_at = CASE WHEN $5 IS NULL OR known.last_login_at > $6 THEN known.last_login_at ELSE $7 END
    WHERE team_id = $8 AND provider = $9 AND identifier = $10
        AND state = 'authorized' AND linked_at IS NULL AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $11 AND unlink.provider = $12
        AND unlink.identifier_hash IN (sha256(convert_to($13, 'UTF8'))) AND unlink.app_id IN ('', $14)
        AND (unlink.unlinked_at > $15 OR unlink.reported_at > $16)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $17 AND held.sub = known.sub AND held.suspended_at IS NOT NULL
)
    RETURNING sub, email, is_private_email
)
SELECT u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version, true, c.app_id, c.shares_name, c.shares_email, c.hides_email, c.given_name, c.family_name, c.granted_at,
c.delivered_at, c.forwards_mail, c.provider, c.upstream_email, c.is_upstream_email_verified,
c.is_upstream_email_private
FROM seen
JOIN users u ON u.team_id = $18 AND u.sub = seen.sub
JOIN consents c ON c.team_id = $19 AND c.sub = seen.sub AND c.app_id = $20
WHERE true AND NOT EXISTS (SELECT FROM upstream_announcements AS waiting
    WHERE waiting.team_id = $21 AND waiting.sub = seen.sub AND waiting.app_id = $22
        AND waiting.held_until <= $23)
;
-- pippin_app 1184 25 17
UPDATE upstream_requests SET settled_at = $1, claimed_until = NULL
WHERE team_id = $2 AND state_hash = $3
;
-- pippin_app 1184 25 17
UPDATE upstream_tokens SET revocation_asked_at = $1
WHERE team_id = $2 AND token_id = $3 AND state IN ('ending', 'refused')
;
-- pippin_app 1184 25 17 1184
UPDATE sessions SET last_seen_at = $1
WHERE team_id = $2 AND token_hash = $3 AND last_seen_at < $4
;
-- pippin_app 1184 25 17 25 17 17 1184 1184
UPDATE upstream_requests SET claimed_until = $1
WHERE team_id = $2 AND state_hash = $3 AND provider = $4
    AND receipt_hash = $5 AND browser_hash = $6 AND answered_at IS NOT NULL
    AND (claimed_until IS NULL OR claimed_until <= $7)
    AND created_at > $8
RETURNING interaction_id, link_sub, link_session, app_id, wants_name, wants_email, answered_at,
    coalesce(arrived_at, answered_at), answer_sealed
;
-- pippin_app 1184 25 17 25 25 1184 25 25
WITH used AS (
    UPDATE refresh_tokens SET last_used_at = $1
    WHERE team_id = $2 AND token_id = $3 AND client_id = $4 AND revoked_at IS NULL
        AND test_sign_in_id IS NOT DISTINCT FROM $5 AND created_at >= $6
    RETURNING sub, app_id, authenticated_at
)
SELECT used.sub, used.app_id, used.authenticated_at, CASE WHEN NOT consents.shares_email THEN NULL
    WHEN consents.provider IS NOT NULL THEN consents.upstream_email
    WHEN consents.hides_email THEN users.relay_address ELSE users.email END,
CASE WHEN consents.provider IS NULL THEN users.is_email_verified
    ELSE consents.is_upstream_email_verified END,
CASE WHEN consents.provider IS NULL THEN consents.hides_email OR users.is_private_email
    ELSE consents.is_upstream_email_private END
FROM used
JOIN users ON users.team_id = $7 AND users.sub = used.sub
JOIN consents ON consents.team_id = $8 AND consents.sub = used.sub AND consents.app_id = used.app_id
WHERE users.suspended_at IS NULL
;
-- pippin_app 1184 25 17 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH tokens AS (
    UPDATE refresh_tokens SET revoked_at = $1 WHERE team_id = $2 AND token_id = $3 AND true AND revoked_at IS NULL
    RETURNING token_id, sub, app_id, test_sign_in_id, provider, authenticated_at
), ended AS (SELECT DISTINCT sub FROM tokens  ), audit AS (INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $4, clock_timestamp(), $5, $6, $7, $8,
    $9, $10, NULLIF($11, ''), NULLIF($12, ''),
    NULLIF($13, ''), $14::jsonb, $15::jsonb,
    $16, $17
FROM ended) SELECT (SELECT count(*) FROM tokens) FROM ended
;
-- pippin_app 1184 25 25 1184 1184 1184 20 25
UPDATE upstream_requests AS request SET claimed_until = $1
FROM (
    SELECT state_hash FROM upstream_requests
    WHERE team_id = $2 AND provider = $3 AND answered_at < $4 AND settled_at IS NULL AND coalesce(settle_at, answered_at) <= $5
        AND (claimed_until IS NULL OR claimed_until <= $6)
    ORDER BY coalesce(settle_at, answered_at) LIMIT $7 FOR UPDATE SKIP LOCKED
) AS unsettled
WHERE request.team_id = $8 AND request.state_hash = unsettled.state_hash
RETURNING request.state_hash, app_id, wants_name, wants_email, answered_at,
    coalesce(arrived_at, answered_at), for_app, answer_sealed
;
-- pippin_app 1184 25 25 1184 20 1184 20
UPDATE app_transfers SET state = 'accepted', settled_at = $1
WHERE transfer_id = $2 AND target_team = $3 AND CASE
    WHEN state = 'offered' AND offered_at <= $4
        OR state = 'withdrawn' AND settled_at >= offered_at + $5 * interval '1 second'
    THEN 'expired' ELSE state
END = 'offered'
RETURNING transfer_id, team_id, target_team, app_id, (registration)::text, CASE
    WHEN state = 'offered' AND offered_at <= $6
        OR state = 'withdrawn' AND settled_at >= offered_at + $7 * interval '1 second'
    THEN 'expired' ELSE state
END, offered_at, settled_at
;
-- pippin_app 1184 25 25 17
WITH tokens AS (
    UPDATE refresh_tokens SET revoked_at = $1 WHERE team_id = $2 AND test_sign_in_id IS NOT DISTINCT FROM $3 AND token_id = $4 AND true AND revoked_at IS NULL
    RETURNING token_id, sub, app_id, test_sign_in_id, provider, authenticated_at
), ended AS (SELECT DISTINCT sub FROM tokens  ) SELECT (SELECT count(*) FROM tokens) FROM ended
;
-- pippin_app 1184 25 25 17 1184 25 25 17 25 25 17 20 20 25 25 1184 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 17 25 1184 1184 1184 25 25 25 25 1184
WITH given AS (
    UPDATE interactions SET entered_at = $1, requires_reauthentication = false
WHERE team_id = $2 AND time_partition = 0 AND interaction_id = $3
    AND browser_hash = $4 AND created_at > $5 AND first_factor IS NOT NULL AND entered_at IS NULL
    AND (second_factor_due = 'nothing' OR second_factor IS NOT NULL) AND (
    first_factor IS NULL OR EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = interactions.team_id AND person.sub = interactions.sub
            AND person.suspended_at IS NULL
            AND person.credentials_version = interactions.credentials_version
    ) AND (first_factor IN ('password', 'passkey', 'mailed_link') OR EXISTS (
        SELECT FROM upstream_identities AS known
        WHERE known.team_id = interactions.team_id AND known.sub = interactions.sub
            AND known.provider = interactions.first_factor AND known.state = 'authorized'
    ))
)
RETURNING sub
), taken AS (
    SELECT FROM given WHERE sub = $6
), ended AS (
    DELETE FROM sessions
    WHERE team_id = $7 AND token_hash = $8 AND EXISTS (SELECT FROM taken)
), excess AS MATERIALIZED (
    SELECT token_hash FROM (
        SELECT token_hash, created_at FROM sessions
        WHERE team_id = $9 AND sub = $10 AND token_hash IS DISTINCT FROM $11
        LIMIT $12
    ) AS part
    ORDER BY created_at DESC, token_hash
    OFFSET $13
), held AS MATERIALIZED (
    SELECT token_hash FROM excess JOIN sessions USING (token_hash)
    WHERE team_id = $14
    FOR UPDATE OF sessions SKIP LOCKED
), outnumbered AS (
    DELETE FROM sessions USING held
    WHERE sessions.team_id = $15 AND sessions.token_hash = held.token_hash
        AND EXISTS (SELECT FROM taken)
), person AS (
    UPDATE users SET last_sign_in_at = $16
    WHERE team_id = $17 AND sub = $18 AND EXISTS (SELECT FROM taken)
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $19, clock_timestamp(), $20, $21, $22, $23,
    $24, $25, NULLIF($26, ''), NULLIF($27, ''),
    NULLIF($28, ''), $29::jsonb, $30::jsonb,
    $31, $32
FROM taken
)
INSERT INTO sessions
    (team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent, first_factor,
    second_factor, proved_at)
SELECT $33, $34, $35, $36, $37, $38, $39,
    $40, $41, $42, $43
FROM taken
RETURNING sub
;
-- pippin_app 1184 25 25 17 1184 25 25 17 25 25 17 20 20 25 25 1184 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 17 25 1184 1184 1184 25 25 25 25 1184
WITH given AS (
    UPDATE interactions SET entered_at = $1, requires_reauthentication = false
WHERE team_id = $2 AND time_partition = 1 AND interaction_id = $3
    AND browser_hash = $4 AND created_at > $5 AND first_factor IS NOT NULL AND entered_at IS NULL
    AND (second_factor_due = 'nothing' OR second_factor IS NOT NULL) AND (
    first_factor IS NULL OR EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = interactions.team_id AND person.sub = interactions.sub
            AND person.suspended_at IS NULL
            AND person.credentials_version = interactions.credentials_version
    ) AND (first_factor IN ('password', 'passkey', 'mailed_link') OR EXISTS (
        SELECT FROM upstream_identities AS known
        WHERE known.team_id = interactions.team_id AND known.sub = interactions.sub
            AND known.provider = interactions.first_factor AND known.state = 'authorized'
    ))
)
RETURNING sub
), taken AS (
    SELECT FROM given WHERE sub = $6
), ended AS (
    DELETE FROM sessions
    WHERE team_id = $7 AND token_hash = $8 AND EXISTS (SELECT FROM taken)
), excess AS MATERIALIZED (
    SELECT token_hash FROM (
        SELECT token_hash, created_at FROM sessions
        WHERE team_id = $9 AND sub = $10 AND token_hash IS DISTINCT FROM $11
        LIMIT $12
    ) AS part
    ORDER BY created_at DESC, token_hash
    OFFSET $13
), held AS MATERIALIZED (
    SELECT token_hash FROM excess JOIN sessions USING (token_hash)
    WHERE team_id = $14
    FOR UPDATE OF sessions SKIP LOCKED
), outnumbered AS (
    DELETE FROM sessions USING held
    WHERE sessions.team_id = $15 AND sessions.token_hash = held.token_hash
        AND EXISTS (SELECT FROM taken)
), person AS (
    UPDATE users SET last_sign_in_at = $16
    WHERE team_id = $17 AND sub = $18 AND EXISTS (SELECT FROM taken)
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $19, clock_timestamp(), $20, $21, $22, $23,
    $24, $25, NULLIF($26, ''), NULLIF($27, ''),
    NULLIF($28, ''), $29::jsonb, $30::jsonb,
    $31, $32
FROM taken
)
INSERT INTO sessions
    (team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent, first_factor,
    second_factor, proved_at)
SELECT $33, $34, $35, $36, $37, $38, $39,
    $40, $41, $42, $43
FROM taken
RETURNING sub
;
-- pippin_app 1184 25 25 17 1184 25 25 17 25 25 17 20 20 25 25 1184 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 17 25 1184 1184 1184 25 25 25 25 1184
WITH given AS (
    UPDATE interactions SET entered_at = $1, requires_reauthentication = false
WHERE team_id = $2 AND time_partition = 2 AND interaction_id = $3
    AND browser_hash = $4 AND created_at > $5 AND first_factor IS NOT NULL AND entered_at IS NULL
    AND (second_factor_due = 'nothing' OR second_factor IS NOT NULL) AND (
    first_factor IS NULL OR EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = interactions.team_id AND person.sub = interactions.sub
            AND person.suspended_at IS NULL
            AND person.credentials_version = interactions.credentials_version
    ) AND (first_factor IN ('password', 'passkey', 'mailed_link') OR EXISTS (
        SELECT FROM upstream_identities AS known
        WHERE known.team_id = interactions.team_id AND known.sub = interactions.sub
            AND known.provider = interactions.first_factor AND known.state = 'authorized'
    ))
)
RETURNING sub
), taken AS (
    SELECT FROM given WHERE sub = $6
), ended AS (
    DELETE FROM sessions
    WHERE team_id = $7 AND token_hash = $8 AND EXISTS (SELECT FROM taken)
), excess AS MATERIALIZED (
    SELECT token_hash FROM (
        SELECT token_hash, created_at FROM sessions
        WHERE team_id = $9 AND sub = $10 AND token_hash IS DISTINCT FROM $11
        LIMIT $12
    ) AS part
    ORDER BY created_at DESC, token_hash
    OFFSET $13
), held AS MATERIALIZED (
    SELECT token_hash FROM excess JOIN sessions USING (token_hash)
    WHERE team_id = $14
    FOR UPDATE OF sessions SKIP LOCKED
), outnumbered AS (
    DELETE FROM sessions USING held
    WHERE sessions.team_id = $15 AND sessions.token_hash = held.token_hash
        AND EXISTS (SELECT FROM taken)
), person AS (
    UPDATE users SET last_sign_in_at = $16
    WHERE team_id = $17 AND sub = $18 AND EXISTS (SELECT FROM taken)
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $19, clock_timestamp(), $20, $21, $22, $23,
    $24, $25, NULLIF($26, ''), NULLIF($27, ''),
    NULLIF($28, ''), $29::jsonb, $30::jsonb,
    $31, $32
FROM taken
)
INSERT INTO sessions
    (team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent, first_factor,
    second_factor, proved_at)
SELECT $33, $34, $35, $36, $37, $38, $39,
    $40, $41, $42, $43
FROM taken
RETURNING sub
;
-- pippin_app 1184 25 25 17 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH used AS (
    UPDATE recovery_codes SET used_at = $1
    WHERE team_id = $2 AND sub = $3
        AND code_hash = $4 AND used_at IS NULL
    RETURNING 1
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $5, clock_timestamp(), $6, $7, $8, $9,
    $10, $11, NULLIF($12, ''), NULLIF($13, ''),
    NULLIF($14, ''), $15::jsonb, $16::jsonb,
    $17, $18
FROM used
)
SELECT FROM used
;
-- pippin_app 1184 25 25 25
UPDATE consents SET delivered_at = $1
WHERE team_id = $2 AND sub = $3 AND app_id = $4 AND delivered_at IS NULL
    AND true
;
-- pippin_app 1184 25 25 25 1184 1184 1184 25 25 17 25 1184 1184 1184 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 25 25 25 16 25 25 25 25 25 25 20 25 25 20
WITH identity AS (
    UPDATE upstream_identities SET state = 'revoked', state_at = $1
    WHERE team_id = $2 AND provider = $3 AND sub = $4 AND state = 'authorized'
        AND ($5 IS NULL OR last_seen_at <= $6 OR last_seen_at > $7)
    RETURNING sub
), sessions AS (DELETE FROM sessions
WHERE team_id = $8 AND sub = $9 AND token_hash IS DISTINCT FROM $10 AND first_factor = $11
    AND ($12 IS NULL OR created_at <= $13 OR created_at > $14)), consent AS (DELETE FROM consents WHERE team_id = $15 AND sub = $16 AND app_id = $17  RETURNING sub), tokens AS (
    UPDATE refresh_tokens SET revoked_at = clock_timestamp() WHERE team_id = $18 AND sub = $19 AND app_id = $20  AND revoked_at IS NULL
    RETURNING token_id, sub, app_id, test_sign_in_id, provider, authenticated_at
), ended AS (SELECT DISTINCT sub FROM tokens UNION SELECT sub FROM consent UNION SELECT sub FROM identity), audit AS (INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $21, clock_timestamp(), $22, $23, $24, $25,
    $26, $27, NULLIF($28, ''), NULLIF($29, ''),
    NULLIF($30, ''), $31::jsonb, $32::jsonb,
    $33, $34
FROM ended), notification AS (
    INSERT INTO notifications (team_id, notification_id, app_id, type, sub, event_time, is_test, job_id)
    SELECT $35, $36, identifier, $37, $38, clock_timestamp(), $39, $40
    FROM app_ids
    WHERE team_id = $41 AND identifier = $42 AND notification_url IS NOT NULL
        AND EXISTS (SELECT FROM ended)
    RETURNING notification_id
), notification_job AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotency_key, due_at)
SELECT $43, $44, $45, $46, $47::jsonb, $48,
    clock_timestamp() + $49 * interval '1 microsecond'
FROM notification
ON CONFLICT DO NOTHING
) SELECT (SELECT count(*) FROM tokens) FROM ended
;
-- pippin_app 1184 25 25 25 1184 1184 1184 25 25 17 25 1184 1184 1184 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 25 25 25 16 25 25 25 25 25 25 20 25 25 20
WITH identity AS (
    UPDATE upstream_identities SET state = 'revoked', state_at = $1
    WHERE team_id = $2 AND provider = $3 AND sub = $4 AND state = 'authorized'
        AND ($5 IS NULL OR last_seen_at <= $6 OR last_seen_at > $7)
    RETURNING sub
), sessions AS (DELETE FROM sessions
WHERE team_id = $8 AND sub = $9 AND token_hash IS DISTINCT FROM $10 AND first_factor = $11
    AND ($12 IS NULL OR created_at <= $13 OR created_at > $14)), consent AS (UPDATE consents SET delivered_at = NULL WHERE team_id = $15 AND sub = $16 AND app_id = $17  RETURNING sub), tokens AS (
    UPDATE refresh_tokens SET revoked_at = clock_timestamp() WHERE team_id = $18 AND sub = $19 AND app_id = $20  AND revoked_at IS NULL
    RETURNING token_id, sub, app_id, test_sign_in_id, provider, authenticated_at
), ended AS (SELECT DISTINCT sub FROM tokens UNION SELECT sub FROM consent UNION SELECT sub FROM identity), audit AS (INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $21, clock_timestamp(), $22, $23, $24, $25,
    $26, $27, NULLIF($28, ''), NULLIF($29, ''),
    NULLIF($30, ''), $31::jsonb, $32::jsonb,
    $33, $34
FROM ended), notification AS (
    INSERT INTO notifications (team_id, notification_id, app_id, type, sub, event_time, is_test, job_id)
    SELECT $35, $36, identifier, $37, $38, clock_timestamp(), $39, $40
    FROM app_ids
    WHERE team_id = $41 AND identifier = $42 AND notification_url IS NOT NULL
        AND EXISTS (SELECT FROM ended)
    RETURNING notification_id
), notification_job AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotency_key, due_at)
SELECT $43, $44, $45, $46, $47::jsonb, $48,
    clock_timestamp() + $49 * interval '1 microsecond'
FROM notification
ON CONFLICT DO NOTHING
) SELECT (SELECT count(*) FROM tokens) FROM ended
;
-- pippin_app 1184 25 25 25 1184 1184 1184 25 25 17 25 1184 1184 1184 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 25 25 25 16 25 25 25 25 25 25 20 25 25 20
WITH identity AS (
    UPDATE upstream_identities SET state = 'revoked', state_at = $1
    WHERE team_id = $2 AND provider = $3 AND sub = $4 AND state = 'authorized'
        AND ($5 IS NULL OR last_seen_at <= $6 OR last_seen_at > $7)
    RETURNING sub
), sessions AS (DELETE FROM sessions
WHERE team_id = $8 AND sub = $9 AND token_hash IS DISTINCT FROM $10 AND first_factor = $11
    AND ($12 IS NULL OR created_at <= $13 OR created_at > $14)), consent AS (DELETE FROM consents WHERE team_id = $15 AND sub = $16 AND app_id = $17 AND provider = $18 RETURNING sub), tokens AS (
    UPDATE refresh_tokens SET revoked_at = clock_timestamp() WHERE team_id = $19 AND sub = $20 AND app_id = $21 AND provider = $22  AND revoked_at IS NULL
    RETURNING token_id, sub, app_id, test_sign_in_id, provider, authenticated_at
), ended AS (SELECT DISTINCT sub FROM tokens UNION SELECT sub FROM consent UNION SELECT sub FROM identity), audit AS (INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $23, clock_timestamp(), $24, $25, $26, $27,
    $28, $29, NULLIF($30, ''), NULLIF($31, ''),
    NULLIF($32, ''), $33::jsonb, $34::jsonb,
    $35, $36
FROM ended), notification AS (
    INSERT INTO notifications (team_id, notification_id, app_id, type, sub, event_time, is_test, job_id)
    SELECT $37, $38, identifier, $39, $40, clock_timestamp(), $41, $42
    FROM app_ids
    WHERE team_id = $43 AND identifier = $44 AND notification_url IS NOT NULL
        AND EXISTS (SELECT FROM consent)
    RETURNING notification_id
), notification_job AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotency_key, due_at)
SELECT $45, $46, $47, $48, $49::jsonb, $50,
    clock_timestamp() + $51 * interval '1 microsecond'
FROM notification
ON CONFLICT DO NOTHING
) SELECT (SELECT count(*) FROM tokens) FROM ended
;
-- pippin_app 1184 25 25 25 1184 1184 1184 25 25 17 25 1184 1184 1184 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 25 25 25 16 25 25 25 25 25 25 20 25 25 20
WITH identity AS (
    UPDATE upstream_identities SET state = 'revoked', state_at = $1
    WHERE team_id = $2 AND provider = $3 AND sub = $4 AND state = 'authorized'
        AND ($5 IS NULL OR last_seen_at <= $6 OR last_seen_at > $7)
    RETURNING sub
), sessions AS (DELETE FROM sessions
WHERE team_id = $8 AND sub = $9 AND token_hash IS DISTINCT FROM $10 AND first_factor = $11
    AND ($12 IS NULL OR created_at <= $13 OR created_at > $14)), consent AS (UPDATE consents SET delivered_at = NULL WHERE team_id = $15 AND sub = $16 AND app_id = $17 AND provider = $18 RETURNING sub), tokens AS (
    UPDATE refresh_tokens SET revoked_at = clock_timestamp() WHERE team_id = $19 AND sub = $20 AND app_id = $21 AND provider = $22  AND revoked_at IS NULL
    RETURNING token_id, sub, app_id, test_sign_in_id, provider, authenticated_at
), ended AS (SELECT DISTINCT sub FROM tokens UNION SELECT sub FROM consent UNION SELECT sub FROM identity), audit AS (INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $23, clock_timestamp(), $24, $25, $26, $27,
    $28, $29, NULLIF($30, ''), NULLIF($31, ''),
    NULLIF($32, ''), $33::jsonb, $34::jsonb,
    $35, $36
FROM ended), notification AS (
    INSERT INTO notifications (team_id, notification_id, app_id, type, sub, event_time, is_test, job_id)
    SELECT $37, $38, identifier, $39, $40, clock_timestamp(), $41, $42
    FROM app_ids
    WHERE team_id = $43 AND identifier = $44 AND notification_url IS NOT NULL
        AND EXISTS (SELECT FROM consent)
    RETURNING notification_id
), notification_job AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotency_key, due_at)
SELECT $45, $46, $47, $48, $49::jsonb, $50,
    clock_timestamp() + $51 * interval '1 microsecond'
FROM notification
ON CONFLICT DO NOTHING
) SELECT (SELECT count(*) FROM tokens) FROM ended
;
-- pippin_app 1184 25 25 25 25 17 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 25 25 25 25 25 1184 25 25 20
WITH tokens AS (
    UPDATE refresh_tokens SET revoked_at = $1 WHERE team_id = $2 AND sub = $3 AND app_id = $4 AND test_sign_in_id IS NOT DISTINCT FROM $5 AND token_id = $6 AND true AND revoked_at IS NULL
    RETURNING token_id, sub, app_id, test_sign_in_id, provider, authenticated_at
), sessions_ended AS (DELETE FROM sessions WHERE team_id = $7 AND sub = $8 AND created_at IN (SELECT authenticated_at FROM tokens WHERE provider IS NULL AND test_sign_in_id IS NULL)), ended AS (SELECT DISTINCT sub FROM tokens  ), audit AS (INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $9, clock_timestamp(), $10, $11, $12, $13,
    $14, $15, NULLIF($16, ''), NULLIF($17, ''),
    NULLIF($18, ''), $19::jsonb, $20::jsonb,
    $21, $22
FROM ended), upstream_ended AS (
    UPDATE upstream_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
    WHERE team_id = $23 AND sub = $24 AND state = 'live' AND app_id IN (SELECT app_id FROM tokens WHERE test_sign_in_id IS NULL)
    AND NOT EXISTS (
        SELECT FROM refresh_tokens AS other
        WHERE other.team_id = $25 AND other.sub = $26 AND other.app_id = upstream_tokens.app_id
            AND other.test_sign_in_id IS NULL AND other.revoked_at IS NULL
            AND other.token_id NOT IN (SELECT token_id FROM tokens)
    )
    AND NOT EXISTS (
        SELECT FROM authorization_codes AS code
        WHERE code.team_id = $27 AND code.sub = $28 AND code.app_id = upstream_tokens.app_id
            AND code.test_sign_in_id IS NULL AND code.redeemed_at IS NULL AND code.expires_at > $29
    )
    RETURNING token_id
), upstream_jobs AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
SELECT $30, pippin_job_id(), $31, $32, payload, clock_timestamp()
FROM (SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM upstream_ended) AS wanted (payload)
) SELECT (SELECT count(*) FROM tokens) FROM ended
;
-- pippin_app 1184 25 25 25 25 25 25
UPDATE upstream_tokens SET validate_at = least(validate_at, $1)
WHERE team_id = $2 AND app_id = $3 AND provider = $4
    AND (identifier = $5
        OR sub = $6 AND (identifier IS NULL OR $7 IS NULL)) AND state = 'live'
;
-- pippin_app 1184 25 25 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25
UPDATE upstream_identities SET state = 'transferred', state_at = $1
WHERE team_id = $2 AND provider = $3 AND transfer_sub = $4
    AND identifier <> $5 AND state <> 'transferred' AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $6 AND unlink.provider = $7
        AND unlink.identifier_hash IN (sha256(convert_to($8, 'UTF8')), sha256(convert_to('transfer ' || $9, 'UTF8'))) AND unlink.app_id IN ('', $10)
        AND (unlink.unlinked_at > $11 OR unlink.reported_at > $12)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $13 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $14 AND provider = $15
    AND (identifier = $16
        OR transfer_sub = $17 AND last_seen_at > $18) ORDER BY created_at LIMIT 1),
    $19
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $20 AND provider = $21
    AND (identifier = $22
        OR transfer_sub = $23 AND last_seen_at > $24))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $25 AND own.sub = $26)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $27 AND host.registration = 'open')
)
;
-- pippin_app 1184 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH emptied AS (
    UPDATE teams SET emptied_at = $1
    WHERE team_id = $2 AND deleted_at IS NOT NULL AND emptied_at IS NULL
    RETURNING team_id
)
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $3, clock_timestamp(), $4, $5, $6, $7,
    $8, $9, NULLIF($10, ''), NULLIF($11, ''),
    NULLIF($12, ''), $13::jsonb, $14::jsonb,
    $15, $16
FROM emptied
;
-- pippin_app 1184 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 25 25 25 25 25 1184 25 25 20
WITH tokens AS (
    UPDATE refresh_tokens SET revoked_at = $1 WHERE team_id = $2 AND sub = $3 AND app_id = $4 AND test_sign_in_id IS NOT DISTINCT FROM $5  AND revoked_at IS NULL
    RETURNING token_id, sub, app_id, test_sign_in_id, provider, authenticated_at
), sessions_ended AS (DELETE FROM sessions WHERE team_id = $6 AND sub = $7 AND created_at IN (SELECT authenticated_at FROM tokens WHERE provider IS NULL AND test_sign_in_id IS NULL)), ended AS (SELECT DISTINCT sub FROM tokens  ), audit AS (INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $8, clock_timestamp(), $9, $10, $11, $12,
    $13, $14, NULLIF($15, ''), NULLIF($16, ''),
    NULLIF($17, ''), $18::jsonb, $19::jsonb,
    $20, $21
FROM ended), upstream_ended AS (
    UPDATE upstream_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
    WHERE team_id = $22 AND sub = $23 AND state = 'live' AND app_id IN (SELECT app_id FROM tokens WHERE test_sign_in_id IS NULL)
    AND NOT EXISTS (
        SELECT FROM refresh_tokens AS other
        WHERE other.team_id = $24 AND other.sub = $25 AND other.app_id = upstream_tokens.app_id
            AND other.test_sign_in_id IS NULL AND other.revoked_at IS NULL
            AND other.token_id NOT IN (SELECT token_id FROM tokens)
    )
    AND NOT EXISTS (
        SELECT FROM authorization_codes AS code
        WHERE code.team_id = $26 AND code.sub = $27 AND code.app_id = upstream_tokens.app_id
            AND code.test_sign_in_id IS NULL AND code.redeemed_at IS NULL AND code.expires_at > $28
    )
    RETURNING token_id
), upstream_jobs AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
SELECT $29, pippin_job_id(), $30, $31, payload, clock_timestamp()
FROM (SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM upstream_ended) AS wanted (payload)
) SELECT (SELECT count(*) FROM tokens) FROM ended
;
-- pippin_app 16 1184 25 25 25 1184 1184 25 25 25 25
UPDATE consents AS known SET forwards_mail = $1, forwards_mail_at = $2
FROM consents AS before
WHERE known.team_id = $3 AND known.sub = $4 AND known.app_id = $5
    AND before.team_id = known.team_id AND before.sub = known.sub AND before.app_id = known.app_id
    AND known.shares_email AND NOT known.hides_email
    AND (known.forwards_mail_at IS NULL OR known.forwards_mail_at <= $6) AND known.granted_at <= $7 AND (
    known.provider = $8 OR NOT EXISTS (
        SELECT FROM upstream_identities i
        WHERE i.team_id = $9 AND i.sub = $10 AND i.provider = $11
            AND i.linked_at IS NOT NULL
    )
)
RETURNING before.forwards_mail
;
-- pippin_app 16 20 16 25 20 25 16 20 25 25
UPDATE domains AS d
SET is_verified = $1 OR (
        d.is_verified AND coalesce(d.failed_since > now() - $2 * interval '1 second', true)
    ),
    failed_since = CASE WHEN NOT $3 THEN coalesce(d.failed_since, now()) END,
    checked_at = now(), finding = $4, status = $5,
    detail = $6,
    check_due_at = now() + CASE
        WHEN $7 OR d.failed_since < now() - $8 * interval '1 second' THEN interval '1 day'
        ELSE interval '1 hour'
    END
WHERE d.team_id = $9 AND d.domain = $10
RETURNING d.domain, d.token, d.is_verified, d.failed_since, d.checked_at, d.finding, d.status, d.detail,
ARRAY(
    SELECT s.service_id FROM service_domains AS s
    WHERE s.team_id = d.team_id AND s.domain = d.domain ORDER BY s.service_id
),
(SELECT t.mode = 'sandbox' FROM teams AS t WHERE t.team_id = d.team_id),
CASE WHEN d.domain ~ '^(.*\.)?localhost$|^127\.[0-9.]+$|^\[::1\]$' THEN (
    SELECT u.url FROM return_urls AS u
    JOIN service_domains AS s ON s.team_id = u.team_id AND s.service_id = u.service_id
    WHERE s.team_id = d.team_id AND s.domain = d.domain AND (
        starts_with(u.url, 'http://' || d.domain || ':') OR starts_with(u.url, 'http://' || d.domain || '/')
    )
    ORDER BY u.service_id, u.rank LIMIT 1
) END
;
-- pippin_app 16 25 25 25 16 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 25 25 25 25 25 25 25 25 25 25 16 25 25 25 25 25 25 20 25 25 20
WITH changed AS (
    UPDATE consents SET forwards_mail = $1
    WHERE team_id = $2 AND sub = $3 AND app_id = $4 AND hides_email
        AND forwards_mail <> $5
    RETURNING sub
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $6, clock_timestamp(), $7, $8, $9, $10,
    $11, $12, NULLIF($13, ''), NULLIF($14, ''),
    NULLIF($15, ''), $16::jsonb, $17::jsonb,
    $18, $19
FROM changed
), waiting AS (
    SELECT notification_id, job_id FROM notifications
    WHERE team_id = $20 AND sub = $21 AND app_id = $22 AND state = 'pending' AND NOT is_test
        AND type IN ($23, $24) AND EXISTS (SELECT FROM changed)
), given_up AS (
    UPDATE jobs
SET state = 'cancelled', payload = '{}', finished_at = clock_timestamp(),
    keep_until = clock_timestamp() + interval '1 day'
WHERE team_id = $25 AND job_id IN (SELECT job_id FROM waiting) AND state = 'pending' AND worker IS NULL RETURNING job_id
), superseded AS (
    DELETE FROM notifications USING waiting, given_up
    WHERE notifications.team_id = $26 AND notifications.notification_id = waiting.notification_id
        AND waiting.job_id = given_up.job_id
    RETURNING notifications.notification_id
),
notification AS (
    INSERT INTO notifications (team_id, notification_id, app_id, type, sub, event_time, is_test, job_id)
    SELECT $27, $28, identifier, $29, $30, clock_timestamp(), $31, $32
    FROM app_ids
    WHERE team_id = $33 AND identifier = $34 AND notification_url IS NOT NULL
        AND EXISTS (SELECT FROM changed)
    RETURNING notification_id
), notification_job AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotency_key, due_at)
SELECT $35, $36, $37, $38, $39::jsonb, $40,
    clock_timestamp() + $41 * interval '1 microsecond'
FROM notification
ON CONFLICT DO NOTHING
)
SELECT
;
-- pippin_app 17 1184 1184 25 25 17 1184 1184
UPDATE sessions
SET token_hash = $1, last_seen_at = $2, proved_at = $3,
    second_factor = COALESCE($4, second_factor)
WHERE team_id = $5 AND token_hash = $6
    AND expires_at > $7 AND last_seen_at > $8
;
-- pippin_app 17 1184 17 16 1184 25 17 1184
UPDATE upstream_requests
SET answer_sealed = $1, answered_at = $2, arrived_at = clock_timestamp(),
    receipt_hash = $3,
    settled_at = CASE WHEN $4 THEN settled_at ELSE $5 END
WHERE team_id = $6 AND state_hash = $7 AND answered_at IS NULL
    AND created_at > $8
;
-- pippin_app 17 1184 25 17 1184 1184
UPDATE sessions SET token_hash = $1, last_seen_at = $2
WHERE team_id = $3 AND token_hash = $4
    AND expires_at > $5 AND last_seen_at > $6
;
-- pippin_app 17 1184 25 17 25 17 1184 25 1184 25 17 25 17 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 25
WITH used AS (
    UPDATE refresh_tokens
    SET secret_hash = $1, last_used_at = $2
    WHERE team_id = $3 AND token_id = $4 AND client_id = $5
    AND revoked_at IS NULL AND test_sign_in_id IS NULL AND secret_hash = $6 AND created_at >= $7
        AND EXISTS (
            SELECT FROM users
            WHERE team_id = $8 AND users.sub = refresh_tokens.sub AND suspended_at IS NULL
        )
    RETURNING sub, app_id, authenticated_at
), reused AS (
    UPDATE refresh_tokens SET revoked_at = $9
    WHERE team_id = $10 AND token_id = $11 AND client_id = $12
    AND revoked_at IS NULL AND test_sign_in_id IS NULL AND secret_hash <> $13
    RETURNING sub
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $14, clock_timestamp(), $15, $16, $17, $18,
    $19, $20, NULLIF($21, ''), NULLIF($22, ''),
    NULLIF($23, ''), $24::jsonb, $25::jsonb,
    $26, $27
FROM reused
)
SELECT used.sub, used.app_id, used.authenticated_at, CASE WHEN NOT consents.shares_email THEN NULL
    WHEN consents.provider IS NOT NULL THEN consents.upstream_email
    WHEN consents.hides_email THEN users.relay_address ELSE users.email END,
CASE WHEN consents.provider IS NULL THEN users.is_email_verified
    ELSE consents.is_upstream_email_verified END,
CASE WHEN consents.provider IS NULL THEN consents.hides_email OR users.is_private_email
    ELSE consents.is_upstream_email_private END
FROM used
JOIN users ON users.team_id = $28 AND users.sub = used.sub
JOIN consents ON consents.team_id = $29 AND consents.sub = used.sub AND consents.app_id = used.app_id
WHERE users.suspended_at IS NULL
;
-- pippin_app 17 17 25 25 17 1184 25 17 25 17
WITH session AS (
    UPDATE refresh_tokens AS session SET token_id = $1, secret_hash = $2
WHERE session.team_id = $3 AND session.token_id = (SELECT token_id FROM native_handovers WHERE team_id = $4 AND body_hash = $5) AND session.revoked_at IS NULL
    AND session.created_at >= $6 AND EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = $7 AND person.sub = session.sub AND person.suspended_at IS NULL
    )
RETURNING session.authenticated_at
), moved AS (
    UPDATE native_handovers SET token_id = $8 FROM session
    WHERE team_id = $9 AND body_hash = $10
)
SELECT authenticated_at FROM session
;
-- pippin_app 20
SELECT pippin_apply_audit_retention($1)
;
-- pippin_app 20
SELECT pippin_empty_team($1::integer)
;
-- pippin_app 20 1184 25 25 20
UPDATE totp_secrets SET last_step = $1, last_used_at = $2
WHERE team_id = $3 AND sub = $4 AND last_step < $5
;
-- pippin_app 20 17 1184 1184 25
UPDATE audit_chains
SET position = $1, code = $2, sealed_at = $3,
    oldest_at = COALESCE(oldest_at, $4)
WHERE team_id = $5
;
-- pippin_app 20 25 1184
UPDATE app_transfers SET state = 'withdrawn', settled_at = offered_at + $1 * interval '1 second'
WHERE team_id = $2 AND state = 'offered' AND offered_at <= $3
;
-- pippin_app 20 25 20 25 25 25 20
UPDATE jobs
SET due_at = clock_timestamp() + $1 * interval '1 microsecond', worker = NULL, attempts = 0,
    problem = $2, ran_at = clock_timestamp(),
    ran_milliseconds = $3
WHERE team_id = $4 AND job_id = $5 AND state = 'pending' AND worker = $6
AND attempts = $7
;
-- pippin_app 20 25 25
SELECT
    ARRAY(
        SELECT s.identifier FROM service_ids AS s
        WHERE s.team_id = a.team_id AND s.app_id = a.identifier ORDER BY s.rank
    ),
    ARRAY(
        SELECT k.key_id FROM keys AS k
        WHERE k.team_id = a.team_id AND k.app_id = a.identifier AND k.rank IS NOT NULL
        ORDER BY k.rank
    ),
    ARRAY(
        SELECT p.key_id FROM apple_keys AS p
        WHERE p.team_id = a.team_id AND p.app_id = a.identifier ORDER BY p.rank
    ),
    ARRAY(
        SELECT g.identifier FROM app_ids AS g
        WHERE g.team_id = a.team_id AND g.primary_identifier = a.identifier ORDER BY g.identifier
    ),
    (SELECT count(*) FROM (
        SELECT FROM consents AS c WHERE c.team_id = a.team_id AND c.app_id = a.identifier
        LIMIT $1
    ) AS counted)
FROM app_ids AS a
WHERE a.team_id = $2 AND a.identifier = $3
;
-- pippin_app 20 25 25 20
SELECT count(*) FROM (SELECT FROM jobs
WHERE state = 'pending' AND priority = $1 AND team_id = $2 AND kind = $3 LIMIT $4) AS waiting
;
-- pippin_app 20 25 25 25 20
UPDATE jobs SET due_at = clock_timestamp() + $1 * interval '1 microsecond', worker = NULL, attempts = attempts - 1
WHERE team_id = $2 AND job_id = $3 AND state = 'pending' AND worker = $4
AND attempts = $5
;
-- pippin_app 20 25 25 25 25 20
UPDATE jobs
SET due_at = clock_timestamp() + $1 * interval '1 microsecond', worker = NULL, problem = $2
WHERE team_id = $3 AND job_id = $4 AND state = 'pending' AND worker = $5
AND attempts = $6
;
-- pippin_app 25
DELETE FROM signing_keys WHERE team_id = $1
;
-- pippin_app 25
INSERT INTO audit_chains (team_id) VALUES ($1) ON CONFLICT DO NOTHING
;
-- pippin_app 25
INSERT INTO signing_keys (team_id, kid, private_key_sealed, active_from)
VALUES ($1, 'first', ''::bytea, now())
;
-- pippin_app 25
INSERT INTO users (team_id, sub) VALUES ('PIPPIN0000', $1)
;
-- pippin_app 25
SELECT EXISTS (SELECT FROM apple_connections WHERE team_id = $1)
;
-- pippin_app 25
SELECT EXISTS (SELECT FROM upstream_tokens WHERE team_id = $1 AND problem IS NOT NULL)
;
-- pippin_app 25
SELECT FROM audit_chains WHERE team_id = $1 FOR UPDATE SKIP LOCKED
;
-- pippin_app 25
SELECT FROM memberships WHERE team_id = $1 LIMIT 1
;
-- pippin_app 25
SELECT FROM teams
WHERE team_id = $1 AND coalesce(closed_at, deleted_at) IS NULL FOR UPDATE
;
-- pippin_app 25
SELECT FROM teams WHERE team_id = $1 FOR NO KEY UPDATE
;
-- pippin_app 25
SELECT a.identifier, a.description, a.is_enabled, a.primary_identifier, a.notification_url, a.issuer,
a.version, a.created_at FROM app_ids AS a WHERE a.team_id = $1 ORDER BY a.identifier
;
-- pippin_app 25
SELECT app_id, client_id, key_id, apple_team_id, outcome, detail, tested_at
FROM apple_connection_tests
WHERE team_id = $1
ORDER BY app_id, client_id
;
-- pippin_app 25
SELECT app_id, max(tested_at) FROM apple_connection_tests WHERE team_id = $1 GROUP BY app_id
;
-- pippin_app 25
SELECT c.app_id, c.services_id, c.key_id, k.apple_team_id, c.version, c.created_at
FROM apple_connections AS c JOIN apple_keys AS k ON k.team_id = c.team_id AND k.key_id = c.key_id
WHERE c.team_id = $1
ORDER BY c.app_id
;
-- pippin_app 25
SELECT c.position, c.code, p.position, p.code, p.latest_at, p.made_at, p.key_id, p.signature
FROM audit_chains c LEFT JOIN audit_checkpoints p ON p.team_id = c.team_id
WHERE c.team_id = $1
;
-- pippin_app 25
SELECT client_id, not_before FROM not_befores
WHERE team_id = $1 AND client_deleted_at IS NULL
ORDER BY not_before DESC, client_id
LIMIT 100
;
-- pippin_app 25
SELECT coalesce(closed_at, deleted_at) IS NOT NULL, name, mode, identity_sources, second_factor, apple_keys
FROM teams
WHERE team_id = $1 AND NOT is_system
FOR NO KEY UPDATE
;
-- pippin_app 25
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1   
      ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1   
   AND e.outcome = 'refused'   ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25
SELECT count(*)::int FROM apple_keys
WHERE team_id = $1 AND position('PRIVATE KEY'::bytea IN private_key_sealed) > 0
;
-- pippin_app 25
SELECT d.domain, d.token, d.is_verified, d.failed_since, d.checked_at, d.finding, d.status, d.detail,
ARRAY(
    SELECT s.service_id FROM service_domains AS s
    WHERE s.team_id = d.team_id AND s.domain = d.domain ORDER BY s.service_id
),
(SELECT t.mode = 'sandbox' FROM teams AS t WHERE t.team_id = d.team_id),
CASE WHEN d.domain ~ '^(.*\.)?localhost$|^127\.[0-9.]+$|^\[::1\]$' THEN (
    SELECT u.url FROM return_urls AS u
    JOIN service_domains AS s ON s.team_id = u.team_id AND s.service_id = u.service_id
    WHERE s.team_id = d.team_id AND s.domain = d.domain AND (
        starts_with(u.url, 'http://' || d.domain || ':') OR starts_with(u.url, 'http://' || d.domain || '/')
    )
    ORDER BY u.service_id, u.rank LIMIT 1
) END FROM domains AS d WHERE d.team_id = $1 ORDER BY d.domain
;
-- pippin_app 25
SELECT digest FROM team_logos WHERE team_id = $1
;
-- pippin_app 25
SELECT document, known::text, approved::text, seen::text, seen_at, differs_since FROM apple_publications WHERE team_id = $1 ORDER BY document
;
-- pippin_app 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   
     
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   
   AND e.outcome = 'refused'  
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25
SELECT e.kind, e.source, e.dkim_selectors, e.version, e.created_at, e.checked_at, (
    SELECT coalesce(
        jsonb_agg(
            jsonb_build_object(
                'kind', record -> 'kind', 'name', record -> 'name', 'state', record -> 'state', 'seen', '[]'::jsonb
            )
        ),
        '[]'
    )::text
    FROM jsonb_array_elements(e.records) AS record
) FROM email_sources AS e WHERE e.team_id = $1 ORDER BY e.source
;
-- pippin_app 25
SELECT identifier FROM service_ids WHERE team_id = $1 ORDER BY app_id, rank
;
-- pippin_app 25
SELECT invitation_id, email, role, invited_by, created_at, expires_at FROM invitations
WHERE team_id = $1 ORDER BY created_at DESC, invitation_id
;
-- pippin_app 25
SELECT job_id FROM jobs WHERE job_id = $1
;
-- pippin_app 25
SELECT k.key_id, k.apple_team_id, k.name, k.app_id, k.fingerprint, k.version, k.created_at FROM apple_keys AS k WHERE k.team_id = $1  ORDER BY k.key_id
;
-- pippin_app 25
SELECT k.key_id, k.name, k.app_id, k.public_key_pem, k.fingerprint, k.private_key_sealed IS NOT NULL,
k.downloaded_at, k.created_at, k.revoked_at, u.last_used_at FROM keys AS k LEFT JOIN key_uses AS u ON u.team_id = k.team_id AND u.key_id = k.key_id WHERE k.team_id = $1
ORDER BY k.created_at DESC, k.key_id DESC
;
-- pippin_app 25
SELECT k.key_id, k.private_key_sealed
FROM apple_connections AS c JOIN apple_keys AS k ON k.team_id = c.team_id AND k.key_id = c.key_id
WHERE c.team_id = $1
;
-- pippin_app 25
SELECT kid, private_key_sealed, active_from, retires_at
FROM signing_keys
WHERE team_id = $1
ORDER BY active_from, kid
;
-- pippin_app 25
SELECT max(active_from) FROM signing_keys WHERE team_id = $1
;
-- pippin_app 25
SELECT max(octet_length(records::text)) FROM email_sources WHERE team_id = $1
;
-- pippin_app 25
SELECT pg_advisory_xact_lock(hashtextextended($1, 0))
;
-- pippin_app 25
SELECT position, code FROM audit_chains WHERE team_id = $1 FOR UPDATE SKIP LOCKED
;
-- pippin_app 25
SELECT position, code, latest_at, made_at, key_id, signature FROM audit_checkpoints
WHERE team_id = $1
;
-- pippin_app 25
SELECT round(extract(epoch FROM check_due_at - checked_at) / 60)::int FROM domains
WHERE team_id = $1
;
-- pippin_app 25
SELECT s.identifier, s.app_id, s.description, s.issuer, s.booleans, s.requires_pkce, s.version, s.created_at,
ARRAY(
    SELECT d.domain FROM service_domains AS d
    WHERE d.team_id = s.team_id AND d.service_id = s.identifier ORDER BY d.domain
),
ARRAY(
    SELECT u.url FROM return_urls AS u
    WHERE u.team_id = s.team_id AND u.service_id = s.identifier ORDER BY u.rank
) FROM service_ids AS s
WHERE s.team_id = $1
ORDER BY s.app_id, s.rank
;
-- pippin_app 25
SELECT set_config('pippin.team', $1, true)
;
-- pippin_app 25
SELECT set_config('pippin.team', $1, true), set_config('synchronous_commit', 'off', true)
;
-- pippin_app 25
SELECT sum(octet_length(t::text))::bigint FROM (SELECT d.domain, d.token, d.is_verified, d.failed_since, d.checked_at, d.finding, d.status, d.detail,
ARRAY(
    SELECT s.service_id FROM service_domains AS s
    WHERE s.team_id = d.team_id AND s.domain = d.domain ORDER BY s.service_id
),
(SELECT t.mode = 'sandbox' FROM teams AS t WHERE t.team_id = d.team_id),
CASE WHEN d.domain ~ '^(.*\.)?localhost$|^127\.[0-9.]+$|^\[::1\]$' THEN (
    SELECT u.url FROM return_urls AS u
    JOIN service_domains AS s ON s.team_id = u.team_id AND s.service_id = u.service_id
    WHERE s.team_id = d.team_id AND s.domain = d.domain AND (
        starts_with(u.url, 'http://' || d.domain || ':') OR starts_with(u.url, 'http://' || d.domain || '/')
    )
    ORDER BY u.service_id, u.rank LIMIT 1
) END FROM domains AS d WHERE d.team_id = $1 ORDER BY d.domain) AS t
;
-- pippin_app 25
SELECT t.team_id, t.name, t.mode, t.identity_sources, t.second_factor, t.apple_keys, t.registration, t.id_token_seconds,
t.requires_verified_domains, t.account_delete_event, t.audit_retention_days, t.accent_colour,
t.privacy_url, t.terms_url, t.is_system, t.version, t.created_at, t.deletion_due_at, t.closed_at,
t.deleted_at FROM teams t WHERE t.team_id = $1 AND t.deleted_at IS NULL
;
-- pippin_app 25
SELECT t.team_id, t.name, t.mode, t.identity_sources, t.second_factor, t.apple_keys, t.registration, t.id_token_seconds,
t.requires_verified_domains, t.account_delete_event, t.audit_retention_days, t.accent_colour,
t.privacy_url, t.terms_url, t.is_system, t.version, t.created_at, t.deletion_due_at, t.closed_at,
t.deleted_at FROM teams t WHERE t.team_id = $1 AND t.deleted_at IS NULL FOR NO KEY UPDATE
;
-- pippin_app 25
SELECT token_id, provider, sub, identifier, app_id, client_id, token_sealed FROM upstream_tokens
WHERE team_id = $1 AND state = 'ending'
ORDER BY token_id FOR UPDATE
;
-- pippin_app 25
SELECT u.sub, l.login, u.given_name, u.family_name, u.email
FROM login_names AS l
JOIN users AS u ON u.team_id = l.team_id AND u.sub = l.sub WHERE l.team_id = $1 AND u.email_key = l.login
ORDER BY l.login
;
-- pippin_app 25
SELECT version FROM registry_versions WHERE team_id = $1
;
-- pippin_app 25
UPDATE domains SET failed_since = now() - interval '73 hours' WHERE team_id = $1
;
-- pippin_app 25
UPDATE jobs SET problem = 'x' WHERE job_id = $1
;
-- pippin_app 25
UPDATE teams SET mode = 'production' WHERE team_id = $1
;
-- pippin_app 25
UPDATE teams t SET deletion_due_at = NULL, version = version + 1 WHERE t.team_id = $1
RETURNING t.team_id, t.name, t.mode, t.identity_sources, t.second_factor, t.apple_keys, t.registration, t.id_token_seconds,
t.requires_verified_domains, t.account_delete_event, t.audit_retention_days, t.accent_colour,
t.privacy_url, t.terms_url, t.is_system, t.version, t.created_at, t.deletion_due_at, t.closed_at,
t.deleted_at
;
-- pippin_app 25 1009
DELETE FROM authorization_codes WHERE team_id = $1 AND client_id = ANY($2)
;
-- pippin_app 25 1009
SELECT FROM users WHERE team_id = $1 AND sub = ANY ($2)
ORDER BY sub FOR NO KEY UPDATE
;
-- pippin_app 25 1009
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1   
     AND e.actor = ANY ($2) ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 1009
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   
     AND e.actor = ANY ($2)
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 1009
SELECT true FROM domains AS d WHERE d.team_id = $1 AND d.domain = ANY ($2) AND d.is_verified LIMIT 1
;
-- pippin_app 25 1009
SELECT u.sub, l.login, u.given_name, u.family_name, u.email
FROM login_names AS l
JOIN users AS u ON u.team_id = l.team_id AND u.sub = l.sub WHERE l.team_id = $1 AND l.login = ANY($2)
ORDER BY l.login
;
-- pippin_app 25 1009
SELECT u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version FROM users u
WHERE u.team_id = $1 AND u.sub = ANY ($2)
;
-- pippin_app 25 1009 1009 1009 1009
INSERT INTO daily_counts AS known (team_id, day, measure, subject, count)
SELECT $1, day::date, measure, CASE measure WHEN 'sign_in' THEN '' ELSE subject END AS whose,
    sum(count::bigint)
FROM unnest(
    $2, $3, $4,
    $5
) AS given (day, measure, subject, count)
GROUP BY measure, day, whose ORDER BY measure, day, whose
ON CONFLICT (team_id, measure, day, subject)
DO UPDATE SET count = known.count + excluded.count
;
-- pippin_app 25 1009 1009 1009 1009 1009 1009 1009 1009 25 25 25 1009 1009 1009 1009 25 25 20 20
WITH kept AS (
    INSERT INTO traces AS known (
        team_id, trace_id, client_id, sub, outcome, cause, reference, is_test, opening
    )
    SELECT $1, id, NULLIF(client, ''), NULLIF(person, ''), outcome, NULLIF(cause, ''),
        NULLIF(reference, ''), is_test = 'true', opening
    FROM unnest(
        $2, $3,
        $4, $5,
        $6, $7,
        $8, $9
    ) AS given (id, client, person, outcome, cause, reference, is_test, opening)
    ON CONFLICT (team_id, trace_id) DO UPDATE SET
        sub = coalesce(excluded.sub, known.sub),
        outcome = CASE WHEN excluded.outcome = 'open'
OR excluded.outcome = 'answered' AND known.outcome = 'failed' AND known.cause NOT LIKE 'upstream%' THEN known.outcome ELSE excluded.outcome END,
        cause = CASE WHEN excluded.outcome = 'open'
OR excluded.outcome = 'answered' AND known.outcome = 'failed' AND known.cause NOT LIKE 'upstream%' THEN known.cause ELSE excluded.cause END,
        reference = coalesce(excluded.reference, known.reference),
        is_test = known.is_test OR excluded.is_test,
        opening = CASE
            WHEN excluded.opening LIKE $10 AND known.opening NOT LIKE $11
            THEN excluded.opening ELSE known.opening
        END
)
INSERT INTO trace_events (team_id, trace_id, at, kind, event)
SELECT $12, id, at::timestamptz, kind, event
FROM unnest(
    $13, $14, $15,
    $16
) AS given (id, at, kind, event)
WHERE CASE kind WHEN $17 THEN true ELSE (
    SELECT count(*) FROM (
        SELECT FROM trace_events AS kept
        WHERE kept.team_id = $18 AND kept.trace_id = given.id LIMIT $19
    ) AS events
) < $20 END
ON CONFLICT DO NOTHING
;
-- pippin_app 25 1009 1009 1009 1184 20 1184
INSERT INTO limits AS known (team_id, subject, window_ends_at, count)
SELECT $1, subject, ends_at, amount
FROM unnest(
    $2, $3::timestamptz[],
    $4::integer[]
) AS given (subject, ends_at, amount)
ORDER BY subject
ON CONFLICT (team_id, subject) DO UPDATE SET
    count = CASE WHEN (known.window_ends_at <= $5 OR known.window_ends_at > excluded.window_ends_at + interval '1 minute') THEN excluded.count
        ELSE LEAST(known.count, $6) + excluded.count END,
    window_ends_at = CASE WHEN (known.window_ends_at <= $7 OR known.window_ends_at > excluded.window_ends_at + interval '1 minute') THEN excluded.window_ends_at ELSE known.window_ends_at END
RETURNING subject, count, window_ends_at
;
-- pippin_app 25 1009 25
DELETE FROM traces WHERE team_id = $1 AND trace_id = ANY ($2) AND sub = $3
;
-- pippin_app 25 1009 25
INSERT INTO ended_clients (team_id, client_id)
SELECT $1, name FROM unnest($2) AS name
WHERE EXISTS (
    SELECT FROM refresh_tokens
    WHERE team_id = $3 AND client_id = name AND authenticated_at > '-infinity'
)
ON CONFLICT DO NOTHING
;
-- pippin_app 25 1009 25
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1   
    AND e.words @> $2 AND e.actor = $3 ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 1009 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   
    AND e.words @> $2 AND e.actor = $3
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 1009 25 1009 20
DELETE FROM trace_events
WHERE team_id = $1 AND trace_id = ANY ($2) AND (trace_id, at, kind) IN (
    SELECT trace_id, at, kind FROM trace_events
    WHERE team_id = $3 AND trace_id = ANY ($4) LIMIT $5
)
;
-- pippin_app 25 1184
DELETE FROM signing_keys WHERE team_id = $1 AND retires_at < $2
;
-- pippin_app 25 1184
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1  AND e.at < $2 
      ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 1184
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1 AND e.at >= $2  
      ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 1184
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1  AND e.at < $2 
     
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 1184
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1 AND e.at >= $2  
     
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 1184
SELECT invitation_id, email, expires_at FROM mailed_links WHERE team_id = $1 AND purpose = 'invitation' AND expires_at > $2
ORDER BY expires_at DESC, invitation_id
;
-- pippin_app 25 1184
SELECT t.team_id, t.name, t.mode, t.identity_sources, t.second_factor, t.apple_keys, t.registration, t.id_token_seconds,
t.requires_verified_domains, t.account_delete_event, t.audit_retention_days, t.accent_colour,
t.privacy_url, t.terms_url, t.is_system, t.version, t.created_at, t.deletion_due_at, t.closed_at,
t.deleted_at FROM teams t
WHERE t.team_id = $1 AND t.deleted_at IS NULL AND t.closed_at <= $2
FOR NO KEY UPDATE
;
-- pippin_app 25 1184 1184
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1 AND e.at >= $2 AND e.at < $3 
      ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 1184 1184
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1 AND e.at >= $2 AND e.at < $3 
     
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 1184 1184 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   AND e.at <= $2 AND (e.at, e.event_id) < ($3, $4)
     
ORDER BY e.at DESC, e.event_id DESC
LIMIT 501) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 1184 1184 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   AND e.at <= $2 AND (e.at, e.event_id) < ($3, $4)
     
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 1184 1184 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   AND e.at <= $2 AND (e.at, e.event_id) < ($3, $4)
   AND e.outcome = 'refused'  
ORDER BY e.at DESC, e.event_id DESC
LIMIT 501) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 1184 1184 25 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   AND e.at <= $2 AND (e.at, e.event_id) < ($3, $4)
AND e.action = $5     
ORDER BY e.at DESC, e.event_id DESC
LIMIT 501) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 1184 1184 25 25 25 25 25 25 25
WITH consent AS (
    INSERT INTO consents (
        team_id, sub, app_id, shares_name, shares_email, hides_email, given_name, family_name,
        granted_at, ip, delivered_at
    )
    SELECT team_id, $1, app_id, shares_name, shares_email, hides_email, given_name,
        family_name, $2, '', $3
    FROM transferred_people
    WHERE team_id = $4 AND transfer_sub = $5 AND app_id = $6
    ON CONFLICT DO NOTHING
)
UPDATE transferred_people
SET sub = $7, given_name = '', family_name = '', email = NULL
WHERE team_id = $8 AND transfer_sub = $9 AND app_id = $10
;
-- pippin_app 25 1184 17
SELECT invited_by FROM mailed_links WHERE team_id = $1 AND purpose = 'invitation' AND expires_at > $2 AND token_hash = $3
;
-- pippin_app 25 1184 20
SELECT count(*) FROM (SELECT FROM app_transfers
WHERE team_id = $1 AND state <> 'accepted' AND offered_at > $2 LIMIT $3) AS known
;
-- pippin_app 25 1184 20 1184 25 25 1184 1184 25 25 20
WITH due AS (
    SELECT token_id FROM upstream_tokens
    WHERE team_id = $1 AND state = 'live' AND validate_at <= $2
    ORDER BY validate_at LIMIT $3 FOR UPDATE SKIP LOCKED
), claimed AS (
    UPDATE upstream_tokens AS token
    SET validate_at = $4
    FROM due
    WHERE token.team_id = $5 AND token.token_id = due.token_id
    RETURNING token.token_id, token.provider, token.sub, token.app_id, token.created_at
), newest AS (
    SELECT token_id FROM claimed
    WHERE NOT EXISTS (
        SELECT FROM upstream_tokens AS other
        WHERE other.team_id = $6 AND other.sub = claimed.sub AND other.app_id = claimed.app_id
            AND other.provider = claimed.provider AND other.state = 'live'
            AND (other.created_at <= $7, other.created_at, other.token_id) > (claimed.created_at <= $8, claimed.created_at, claimed.token_id)
    )
)
INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
SELECT $9, pippin_job_id(), $10, $11, payload, clock_timestamp()
FROM (SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM newest) AS wanted (payload)
;
-- pippin_app 25 1184 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after FROM audit_events e
WHERE e.team_id = $1 AND e.at = $2 AND e.event_id = $3) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 1184 25
SELECT invitation_id, email, expires_at FROM mailed_links
WHERE team_id = $1 AND purpose = 'invitation' AND expires_at > $2 AND invitation_id = $3
;
-- pippin_app 25 1184 25
SELECT position, sealed_at FROM audit_seals
WHERE team_id = $1 AND at = $2 AND event_id = $3
;
-- pippin_app 25 1184 25 1009 1009 1009 1009 25
WITH sealed AS (
    INSERT INTO audit_seals (team_id, position, at, event_id, sealed_at, key_id, code)
    SELECT $1, s.position::bigint, s.at::timestamptz, s.event_id, $2,
        $3, decode(s.code, 'hex')
    FROM unnest(
        $4, $5,
        $6, $7
    ) AS s (position, at, event_id, code)
    RETURNING at, event_id
)
DELETE FROM audit_unsealed u USING sealed s
WHERE u.team_id = $8 AND u.at = s.at AND u.event_id = s.event_id
;
-- pippin_app 25 1184 25 20
SELECT count(*) FROM (SELECT FROM app_transfers
WHERE team_id = $1 AND state <> 'accepted' AND offered_at > $2 AND target_team = $3 LIMIT $4) AS known
;
-- pippin_app 25 1184 25 20
SELECT count(*) FROM (SELECT FROM mailed_links WHERE team_id = $1 AND purpose = 'invitation' AND expires_at > $2 AND lower(email) <> lower($3) LIMIT $4) AS known
;
-- pippin_app 25 1184 25 25
INSERT INTO key_uses (team_id, key_id, last_used_at)
SELECT $1, key_id, $2 FROM keys WHERE team_id = $3 AND key_id = $4
ON CONFLICT (team_id, key_id) DO UPDATE SET last_used_at = excluded.last_used_at
;
-- pippin_app 25 1184 25 25 1184 20 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH settled AS (
    UPDATE app_transfers SET state = $1, settled_at = $2
    WHERE target_team = $3 AND transfer_id = $4 AND CASE
    WHEN state = 'offered' AND offered_at <= $5
        OR state = 'withdrawn' AND settled_at >= offered_at + $6 * interval '1 second'
    THEN 'expired' ELSE state
END = 'offered'
    RETURNING transfer_id
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $7, clock_timestamp(), $8, $9, $10, $11,
    $12, $13, NULLIF($14, ''), NULLIF($15, ''),
    NULLIF($16, ''), $17::jsonb, $18::jsonb,
    $19, $20
FROM settled
)
SELECT transfer_id FROM settled
;
-- pippin_app 25 1184 25 25 1184 20 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH settled AS (
    UPDATE app_transfers SET state = $1, settled_at = $2
    WHERE team_id = $3 AND transfer_id = $4 AND CASE
    WHEN state = 'offered' AND offered_at <= $5
        OR state = 'withdrawn' AND settled_at >= offered_at + $6 * interval '1 second'
    THEN 'expired' ELSE state
END = 'offered'
    RETURNING transfer_id
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $7, clock_timestamp(), $8, $9, $10, $11,
    $12, $13, NULLIF($14, ''), NULLIF($15, ''),
    NULLIF($16, ''), $17::jsonb, $18::jsonb,
    $19, $20
FROM settled
)
SELECT transfer_id FROM settled
;
-- pippin_app 25 1184 25 25 17 1184 25
UPDATE interactions SET second_factor = $1, second_factor_at = $2
WHERE team_id = $3 AND time_partition = 0 AND interaction_id = $4
    AND browser_hash = $5 AND created_at > $6 AND sub = $7 AND second_factor IS NULL AND entered_at IS NULL
    AND (
    first_factor IS NULL OR EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = interactions.team_id AND person.sub = interactions.sub
            AND person.suspended_at IS NULL
            AND person.credentials_version = interactions.credentials_version
    ) AND (first_factor IN ('password', 'passkey', 'mailed_link') OR EXISTS (
        SELECT FROM upstream_identities AS known
        WHERE known.team_id = interactions.team_id AND known.sub = interactions.sub
            AND known.provider = interactions.first_factor AND known.state = 'authorized'
    ))
)
;
-- pippin_app 25 1184 25 25 17 1184 25
UPDATE interactions SET second_factor = $1, second_factor_at = $2
WHERE team_id = $3 AND time_partition = 1 AND interaction_id = $4
    AND browser_hash = $5 AND created_at > $6 AND sub = $7 AND second_factor IS NULL AND entered_at IS NULL
    AND (
    first_factor IS NULL OR EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = interactions.team_id AND person.sub = interactions.sub
            AND person.suspended_at IS NULL
            AND person.credentials_version = interactions.credentials_version
    ) AND (first_factor IN ('password', 'passkey', 'mailed_link') OR EXISTS (
        SELECT FROM upstream_identities AS known
        WHERE known.team_id = interactions.team_id AND known.sub = interactions.sub
            AND known.provider = interactions.first_factor AND known.state = 'authorized'
    ))
)
;
-- pippin_app 25 16 16 16 16 16 25 16 25 25 25 25 25 25 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25
UPDATE users SET
    email = coalesce($1, email),
    is_email_verified = CASE WHEN $2 THEN $3
        ELSE is_email_verified END,
    is_private_email = CASE WHEN $4 THEN $5
        ELSE is_private_email END,
    given_name = CASE WHEN $6 AND false THEN $7 ELSE given_name END,
    family_name = CASE WHEN $8 AND false THEN $9 ELSE family_name END
WHERE team_id = $10 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $11 AND provider = $12 AND identifier = $13) AND NOT EXISTS (
    SELECT FROM upstream_identities
    WHERE team_id = $14 AND provider = $15 AND identifier = $16
        AND linked_at IS NOT NULL
) AND NOT EXISTS (SELECT FROM login_names WHERE login_names.team_id = $17 AND login_names.sub = users.sub) AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $18 AND unlink.provider = $19
        AND unlink.identifier_hash IN (sha256(convert_to($20, 'UTF8'))) AND unlink.app_id IN ('', $21)
        AND (unlink.unlinked_at > $22 OR unlink.reported_at > $23)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $24 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $25 AND provider = $26
    AND (identifier = $27
        OR transfer_sub = $28 AND last_seen_at > $29) ORDER BY created_at LIMIT 1),
    $30
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $31 AND provider = $32
    AND (identifier = $33
        OR transfer_sub = $34 AND last_seen_at > $35))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $36 AND own.sub = $37)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $38 AND host.registration = 'open')
)
;
-- pippin_app 25 16 16 16 16 16 25 16 25 25 25 25 25 25 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25
UPDATE users SET
    email = coalesce($1, email),
    is_email_verified = CASE WHEN $2 THEN $3
        ELSE is_email_verified END,
    is_private_email = CASE WHEN $4 THEN $5
        ELSE is_private_email END,
    given_name = CASE WHEN $6 AND true THEN $7 ELSE given_name END,
    family_name = CASE WHEN $8 AND true THEN $9 ELSE family_name END
WHERE team_id = $10 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $11 AND provider = $12 AND identifier = $13) AND NOT EXISTS (
    SELECT FROM upstream_identities
    WHERE team_id = $14 AND provider = $15 AND identifier = $16
        AND linked_at IS NOT NULL
) AND NOT EXISTS (SELECT FROM login_names WHERE login_names.team_id = $17 AND login_names.sub = users.sub) AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $18 AND unlink.provider = $19
        AND unlink.identifier_hash IN (sha256(convert_to($20, 'UTF8'))) AND unlink.app_id IN ('', $21)
        AND (unlink.unlinked_at > $22 OR unlink.reported_at > $23)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $24 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $25 AND provider = $26
    AND (identifier = $27
        OR transfer_sub = $28 AND last_seen_at > $29) ORDER BY created_at LIMIT 1),
    $30
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $31 AND provider = $32
    AND (identifier = $33
        OR transfer_sub = $34 AND last_seen_at > $35))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $36 AND own.sub = $37)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $38 AND host.registration = 'open')
)
;
-- pippin_app 25 16 16 16 16 16 25 16 25 25 25 25 25 25 25 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25
UPDATE users SET
    email = coalesce($1, email),
    is_email_verified = CASE WHEN $2 THEN $3
        ELSE is_email_verified END,
    is_private_email = CASE WHEN $4 THEN $5
        ELSE is_private_email END,
    given_name = CASE WHEN $6 AND false THEN $7 ELSE given_name END,
    family_name = CASE WHEN $8 AND false THEN $9 ELSE family_name END
WHERE team_id = $10 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $11 AND provider = $12 AND identifier = $13) AND NOT EXISTS (
    SELECT FROM upstream_identities
    WHERE team_id = $14 AND provider = $15 AND identifier = $16
        AND linked_at IS NOT NULL
) AND NOT EXISTS (SELECT FROM login_names WHERE login_names.team_id = $17 AND login_names.sub = users.sub) AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $18 AND unlink.provider = $19
        AND unlink.identifier_hash IN (sha256(convert_to($20, 'UTF8')), sha256(convert_to('transfer ' || $21, 'UTF8'))) AND unlink.app_id IN ('', $22)
        AND (unlink.unlinked_at > $23 OR unlink.reported_at > $24)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $25 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $26 AND provider = $27
    AND (identifier = $28
        OR transfer_sub = $29 AND last_seen_at > $30) ORDER BY created_at LIMIT 1),
    $31
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $32 AND provider = $33
    AND (identifier = $34
        OR transfer_sub = $35 AND last_seen_at > $36))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $37 AND own.sub = $38)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $39 AND host.registration = 'open')
)
;
-- pippin_app 25 16 16 16 16 16 25 16 25 25 25 25 25 25 25 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25
UPDATE users SET
    email = coalesce($1, email),
    is_email_verified = CASE WHEN $2 THEN $3
        ELSE is_email_verified END,
    is_private_email = CASE WHEN $4 THEN $5
        ELSE is_private_email END,
    given_name = CASE WHEN $6 AND true THEN $7 ELSE given_name END,
    family_name = CASE WHEN $8 AND true THEN $9 ELSE family_name END
WHERE team_id = $10 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $11 AND provider = $12 AND identifier = $13) AND NOT EXISTS (
    SELECT FROM upstream_identities
    WHERE team_id = $14 AND provider = $15 AND identifier = $16
        AND linked_at IS NOT NULL
) AND NOT EXISTS (SELECT FROM login_names WHERE login_names.team_id = $17 AND login_names.sub = users.sub) AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $18 AND unlink.provider = $19
        AND unlink.identifier_hash IN (sha256(convert_to($20, 'UTF8')), sha256(convert_to('transfer ' || $21, 'UTF8'))) AND unlink.app_id IN ('', $22)
        AND (unlink.unlinked_at > $23 OR unlink.reported_at > $24)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $25 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $26 AND provider = $27
    AND (identifier = $28
        OR transfer_sub = $29 AND last_seen_at > $30) ORDER BY created_at LIMIT 1),
    $31
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $32 AND provider = $33
    AND (identifier = $34
        OR transfer_sub = $35 AND last_seen_at > $36))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $37 AND own.sub = $38)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $39 AND host.registration = 'open')
)
;
-- pippin_app 25 16 16 16 16 16 25 25 25 25 25 16 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25
UPDATE users SET
    email = coalesce($1, email),
    is_email_verified = CASE WHEN $2 THEN $3
        ELSE is_email_verified END,
    is_private_email = CASE WHEN $4 THEN $5
        ELSE is_private_email END,
    given_name = CASE WHEN $6 AND NOT EXISTS (
    SELECT FROM consents
    WHERE team_id = $7 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $8 AND provider = $9 AND identifier = $10) AND shares_name AND delivered_at IS NOT NULL
) THEN $11 ELSE given_name END,
    family_name = CASE WHEN $12 AND NOT EXISTS (
    SELECT FROM consents
    WHERE team_id = $13 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $14 AND provider = $15 AND identifier = $16) AND shares_name AND delivered_at IS NOT NULL
) THEN $17 ELSE family_name END
WHERE team_id = $18 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $19 AND provider = $20 AND identifier = $21) AND NOT EXISTS (
    SELECT FROM upstream_identities
    WHERE team_id = $22 AND provider = $23 AND identifier = $24
        AND linked_at IS NOT NULL
) AND NOT EXISTS (SELECT FROM login_names WHERE login_names.team_id = $25 AND login_names.sub = users.sub) AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $26 AND unlink.provider = $27
        AND unlink.identifier_hash IN (sha256(convert_to($28, 'UTF8'))) AND unlink.app_id IN ('', $29)
        AND (unlink.unlinked_at > $30 OR unlink.reported_at > $31)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $32 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $33 AND provider = $34
    AND (identifier = $35
        OR transfer_sub = $36 AND last_seen_at > $37) ORDER BY created_at LIMIT 1),
    $38
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $39 AND provider = $40
    AND (identifier = $41
        OR transfer_sub = $42 AND last_seen_at > $43))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $44 AND own.sub = $45)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $46 AND host.registration = 'open')
)
;
-- pippin_app 25 16 16 16 16 16 25 25 25 25 25 16 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25
UPDATE users SET
    email = coalesce($1, email),
    is_email_verified = CASE WHEN $2 THEN $3
        ELSE is_email_verified END,
    is_private_email = CASE WHEN $4 THEN $5
        ELSE is_private_email END,
    given_name = CASE WHEN $6 AND NOT EXISTS (
    SELECT FROM consents
    WHERE team_id = $7 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $8 AND provider = $9 AND identifier = $10) AND shares_name AND delivered_at IS NOT NULL
) THEN $11 ELSE given_name END,
    family_name = CASE WHEN $12 AND NOT EXISTS (
    SELECT FROM consents
    WHERE team_id = $13 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $14 AND provider = $15 AND identifier = $16) AND shares_name AND delivered_at IS NOT NULL
) THEN $17 ELSE family_name END
WHERE team_id = $18 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $19 AND provider = $20 AND identifier = $21) AND NOT EXISTS (
    SELECT FROM upstream_identities
    WHERE team_id = $22 AND provider = $23 AND identifier = $24
        AND linked_at IS NOT NULL
) AND NOT EXISTS (SELECT FROM login_names WHERE login_names.team_id = $25 AND login_names.sub = users.sub) AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $26 AND unlink.provider = $27
        AND unlink.identifier_hash IN (sha256(convert_to($28, 'UTF8')), sha256(convert_to('transfer ' || $29, 'UTF8'))) AND unlink.app_id IN ('', $30)
        AND (unlink.unlinked_at > $31 OR unlink.reported_at > $32)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $33 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $34 AND provider = $35
    AND (identifier = $36
        OR transfer_sub = $37 AND last_seen_at > $38) ORDER BY created_at LIMIT 1),
    $39
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $40 AND provider = $41
    AND (identifier = $42
        OR transfer_sub = $43 AND last_seen_at > $44))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $45 AND own.sub = $46)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $47 AND host.registration = 'open')
)
;
-- pippin_app 25 16 25 25
UPDATE users SET email = $1, is_email_verified = $2
WHERE team_id = $3 AND sub = $4
;
-- pippin_app 25 16 25 25 25 25 25
UPDATE app_ids AS a
SET description = $1, is_enabled = $2,
    primary_identifier = $3, notification_url = $4,
    issuer = $5, version = a.version + 1
WHERE a.team_id = $6 AND a.identifier = $7
RETURNING a.identifier, a.description, a.is_enabled, a.primary_identifier, a.notification_url, a.issuer,
a.version, a.created_at
;
-- pippin_app 25 17
DELETE FROM upstream_requests WHERE team_id = $1 AND state_hash = $2
;
-- pippin_app 25 17
SELECT FROM native_handovers
WHERE team_id = $1 AND body_hash = $2 FOR UPDATE
;
-- pippin_app 25 17
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1   
  AND e.ip_key = $2    ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 17
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   
  AND e.ip_key = $2   
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 17
SELECT trace_id FROM authorization_codes
WHERE team_id = $1 AND time_partition = 0 AND code_hash = $2
;
-- pippin_app 25 17
SELECT u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version, p.algorithm, p.public_key, p.sign_count, p.is_backup_eligible, h.handle
FROM passkeys p
JOIN users u ON u.team_id = p.team_id AND u.sub = p.sub
LEFT JOIN passkey_handles h ON h.team_id = p.team_id AND h.sub = p.sub
WHERE p.team_id = $1 AND p.credential_id = $2
;
-- pippin_app 25 17
UPDATE upstream_tokens SET revocation_asked_at = NULL
WHERE team_id = $1 AND token_id = $2 AND state IN ('ending', 'refused')
;
-- pippin_app 25 17 1009
SELECT provider, sub, identifier, app_id, client_id, token_sealed FROM upstream_tokens
WHERE team_id = $1 AND token_id = $2 AND state = ANY ($3)
;
-- pippin_app 25 17 1184
DELETE FROM invitations WHERE team_id = $1 AND token_hash = $2 AND expires_at > $3 RETURNING invitation_id, email, role, invited_by, created_at, expires_at
;
-- pippin_app 25 17 1184
DELETE FROM native_handovers
WHERE team_id = $1 AND body_hash = $2 AND settled_at IS NULL
    AND claimed_until = $3
;
-- pippin_app 25 17 1184
DELETE FROM upstream_announcements WHERE team_id = $1 AND announcement_hash = $2 AND held_until = $3 RETURNING announcement_hash
;
-- pippin_app 25 17 1184
SELECT invitation_id, email, role, invited_by, created_at, expires_at FROM invitations WHERE team_id = $1 AND token_hash = $2 AND expires_at > $3
;
-- pippin_app 25 17 1184
UPDATE native_handovers SET claimed_until = created_at
WHERE team_id = $1 AND body_hash = $2 AND settled_at IS NULL
    AND claimed_until = $3
;
-- pippin_app 25 17 1184
UPDATE upstream_announcements SET held_until = announced_at WHERE team_id = $1 AND announcement_hash = $2 AND held_until = $3
;
-- pippin_app 25 17 1184
UPDATE upstream_requests SET claimed_until = NULL
WHERE team_id = $1 AND state_hash = $2 AND claimed_until = $3
;
-- pippin_app 25 17 1184 1184
SELECT s.created_at, s.last_seen_at, s.expires_at, s.first_factor, s.second_factor,
    s.proved_at, EXISTS (SELECT FROM totp_secrets f WHERE f.team_id = s.team_id AND f.sub = s.sub),
(SELECT count(*) FROM passkeys f WHERE f.team_id = s.team_id AND f.sub = s.sub),
(SELECT count(*) FROM recovery_codes f
    WHERE f.team_id = s.team_id AND f.sub = s.sub AND f.used_at IS NULL), u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version
FROM sessions s JOIN users u ON u.team_id = s.team_id AND u.sub = s.sub
WHERE s.team_id = $1 AND s.token_hash = $2
    AND s.expires_at > $3 AND s.last_seen_at > $4 AND u.suspended_at IS NULL
;
-- pippin_app 25 17 1184 16
DELETE FROM upstream_announcements
WHERE team_id = $1 AND announcement_hash = $2 AND held_until = $3 AND (form_given_name IS NULL OR $4 AND NOT is_doubtful)
;
-- pippin_app 25 17 17
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1   
  AND e.ip_key >= $2 AND e.ip_key <= $3    ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 17 17
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   
  AND e.ip_key >= $2 AND e.ip_key <= $3   
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 17 17 17 25 17 17 17 1184
WITH voided AS (
    UPDATE upstream_requests SET receipt_hash = NULL
    WHERE team_id = $1 AND state_hash = $2 AND receipt_hash = $3
        AND browser_hash <> $4
)
SELECT answer_sealed FROM upstream_requests
WHERE team_id = $5 AND state_hash = $6 AND receipt_hash = $7
    AND browser_hash = $8 AND created_at > $9
;
-- pippin_app 25 17 17 25 25 25 1184 25 1184 1184 25 25 25 25 25 25 25 25 25 1184 25 25 25 1184 25 17 16 25 25 17 1184 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH session AS (INSERT INTO refresh_tokens (
    team_id, token_id, secret_hash, sub, app_id, client_id, authenticated_at, provider, created_at, last_used_at
)
SELECT $1, $2, $3, $4, $5,
    $6, $7, $8, $9, $10
WHERE EXISTS (SELECT FROM upstream_identities AS standing
WHERE standing.team_id = $11 AND standing.provider = $12
    AND standing.identifier = $13 AND standing.sub = $14
    AND standing.state = 'authorized' AND EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = $15 AND person.sub = $16 AND person.suspended_at IS NULL
    ) AND EXISTS (
    SELECT FROM consents AS given
    WHERE given.team_id = $17 AND given.sub = $18 AND given.app_id = $19
))
RETURNING sub), delivery AS (UPDATE consents SET delivered_at = $20
WHERE team_id = $21 AND sub = $22 AND app_id = $23 AND delivered_at IS NULL
    AND EXISTS (SELECT FROM session)), settled AS (UPDATE native_handovers
SET settled_at = $24, sub = $25, token_id = $26,
    is_new_user = $27, nonce = $28
WHERE team_id = $29 AND body_hash = $30 AND EXISTS (SELECT FROM session)), noted AS (
    UPDATE users SET last_sign_in_at = $31
    WHERE team_id = $32 AND sub = $33 AND EXISTS (SELECT FROM session)
), completion AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $34, clock_timestamp(), $35, $36, $37, $38,
    $39, $40, NULLIF($41, ''), NULLIF($42, ''),
    NULLIF($43, ''), $44::jsonb, $45::jsonb,
    $46, $47
FROM session
)
SELECT FROM session
;
-- pippin_app 25 17 25
DELETE FROM sessions
WHERE team_id = $1 AND token_hash = $2 AND sub = $3
;
-- pippin_app 25 17 25
SELECT FROM refresh_tokens WHERE team_id = $1 AND token_id = $2 AND client_id = $3
    AND revoked_at IS NULL AND test_sign_in_id IS NULL FOR NO KEY UPDATE
;
-- pippin_app 25 17 25
SELECT sub, app_id FROM refresh_tokens
WHERE team_id = $1 AND token_id = $2 AND client_id = $3 AND revoked_at IS NULL
    AND test_sign_in_id IS NULL AND true
;
-- pippin_app 25 17 25 1184
DELETE FROM mailed_links
WHERE team_id = $1 AND token_hash = $2 AND purpose = $3
    AND expires_at > $4
RETURNING purpose, sub, email, interaction_id, browser_hash, request_query, given_name, family_name, password_hash,
invitation_id
;
-- pippin_app 25 17 25 1184
SELECT FROM sessions JOIN users USING (team_id, sub)
WHERE team_id = $1 AND token_hash = $2 AND sub = $3 AND expires_at > $4
    AND suspended_at IS NULL
FOR KEY SHARE OF sessions
;
-- pippin_app 25 17 25 1184
SELECT purpose, sub, email, interaction_id, browser_hash, request_query, given_name, family_name, password_hash,
invitation_id FROM mailed_links
WHERE team_id = $1 AND token_hash = $2 AND purpose = $3
    AND expires_at > $4
;
-- pippin_app 25 17 25 1184 1184 1184 1184 1184
INSERT INTO native_handovers AS known (
    team_id, body_hash, client_id, created_at, claimed_until
) VALUES (
    $1, $2, $3, $4, $5
)
ON CONFLICT (team_id, body_hash) DO UPDATE SET claimed_until = CASE
    WHEN known.settled_at IS NULL AND known.claimed_until <= $6
    THEN excluded.claimed_until ELSE known.claimed_until END
RETURNING created_at, clock_timestamp() - greatest($7 - created_at, interval '0'),
    claimed_until = $8, settled_at, sub, is_new_user, nonce
;
-- pippin_app 25 17 25 1184 1184 20
SELECT FROM sessions AS held
JOIN users AS holder ON holder.team_id = held.team_id AND holder.sub = held.sub
WHERE held.team_id = $1 AND held.token_hash = $2
    AND held.sub = $3 AND held.expires_at > $4 AND held.proved_at >= $5
    AND holder.suspended_at IS NULL
    AND holder.credentials_version = $6
;
-- pippin_app 25 17 25 1184 20
SELECT FROM sessions AS held
JOIN users AS holder ON holder.team_id = held.team_id AND holder.sub = held.sub
WHERE held.team_id = $1 AND held.token_hash = $2
    AND held.sub = $3 AND held.expires_at > $4 
    AND holder.suspended_at IS NULL
    AND holder.credentials_version = $5
;
-- pippin_app 25 17 25 17
SELECT sub, app_id FROM refresh_tokens
WHERE team_id = $1 AND token_id = $2 AND client_id = $3 AND revoked_at IS NULL
    AND test_sign_in_id IS NULL AND secret_hash = $4
;
-- pippin_app 25 17 25 17 25 1184 1184
SELECT FROM upstream_tokens
WHERE team_id = $1 AND token_id = $2 AND state = 'live'
    AND NOT EXISTS (
    SELECT FROM upstream_tokens AS asked JOIN upstream_tokens AS newer
        ON newer.team_id = asked.team_id AND newer.sub = asked.sub AND newer.app_id = asked.app_id
        AND newer.provider = asked.provider
    WHERE asked.team_id = $3 AND asked.token_id = $4 AND newer.team_id = $5
        AND newer.state = 'live' AND (newer.created_at <= $6, newer.created_at, newer.token_id) > (asked.created_at <= $7, asked.created_at, asked.token_id)
)
;
-- pippin_app 25 17 25 25 20 17 20 16 16 1009 1184
INSERT INTO passkeys (
    team_id, credential_id, sub, name, algorithm, public_key, sign_count, is_backup_eligible,
    is_backed_up, transports, created_at
) VALUES (
    $1, $2, $3, $4,
    $5, $6, $7,
    $8, $9, $10, $11
)
ON CONFLICT (team_id, credential_id) DO NOTHING
;
-- pippin_app 25 17 25 25 25 1184
INSERT INTO mailed_links AS l (
    team_id, token_hash, purpose, email, invitation_id, invited_by, expires_at
) VALUES (
    $1, $2, 'invitation', $3, $4, $5, $6
)
ON CONFLICT (team_id, lower(email)) WHERE purpose = 'invitation' DO UPDATE SET
    token_hash = excluded.token_hash, email = excluded.email, invited_by = excluded.invited_by,
    expires_at = excluded.expires_at
RETURNING invitation_id, email, expires_at
;
-- pippin_app 25 17 25 25 25 17 17 25 16 16 16 1184 1184
INSERT INTO upstream_requests (
    team_id, state_hash, provider, interaction_id, link_sub, link_session, browser_hash, app_id, wants_name,
    wants_email, for_app, created_at, settled_at
) VALUES (
    $1, $2, $3, $4, $5,
    $6, $7, $8, $9,
    $10, $11, $12, $13
)
;
-- pippin_app 25 17 25 25 25 20 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH again AS (
    UPDATE upstream_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
    WHERE team_id = $1 AND token_id = $2 AND state = 'refused'
    RETURNING token_id
), receipts AS (
    UPDATE deletion_receipt_tokens SET fate = 'pending', settled_at = NULL, problem = NULL
WHERE team_id = $3 AND upstream_token_id IN (SELECT token_id FROM again) AND fate = 'refused'
), job AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
SELECT $4, pippin_job_id(), $5, $6, payload, clock_timestamp()
FROM (SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM again) AS wanted (payload)
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $7, clock_timestamp(), $8, $9, $10, $11,
    $12, $13, NULLIF($14, ''), NULLIF($15, ''),
    NULLIF($16, ''), $17::jsonb, $18::jsonb,
    $19, $20
FROM again
)
SELECT FROM again
;
-- pippin_app 25 17 25 25 25 25 25 1184 25 25 25 25 25 25 25 1184 1184 20 25 25 25 25 25 1184 25 25 25 25 25 25 1184 25 25 25 25 25 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25
INSERT INTO upstream_announcements AS known (
    team_id, announcement_hash, provider, sub, app_id, form_given_name, form_family_name, form_email, given_name,
    family_name, announced_at, held_until
)
SELECT $1, $2, $3, coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $4 AND provider = $5
    AND (identifier = $6
        OR transfer_sub = $7 AND last_seen_at > $8) ORDER BY created_at LIMIT 1),
    $9
), $10,
    CASE WHEN room.is_left THEN $11::text END,
    CASE WHEN room.is_left THEN $12::text END,
    CASE WHEN room.is_left THEN $13::text END,
    $14, $15, $16, $17
FROM (
    SELECT count(*) < $18 AS is_left FROM upstream_announcements AS other
    WHERE other.team_id = $19 AND other.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $20 AND provider = $21
    AND (identifier = $22
        OR transfer_sub = $23 AND last_seen_at > $24) ORDER BY created_at LIMIT 1),
    $25
)
        AND other.app_id = $26 AND other.form_given_name IS NOT NULL
) AS room
WHERE NOT (
    NOT EXISTS (SELECT FROM upstream_identities WHERE team_id = $27 AND provider = $28
    AND (identifier = $29
        OR transfer_sub = $30 AND last_seen_at > $31))
    AND NOT EXISTS (
        SELECT FROM upstream_identities
        WHERE team_id = $32 AND sub = $33 AND linked_at IS NULL
    )
    AND EXISTS (
        SELECT FROM login_names WHERE team_id = $34 AND sub = $35
        UNION ALL
        SELECT FROM passwords WHERE team_id = $36 AND sub = $37
        UNION ALL
        SELECT FROM passkeys WHERE team_id = $38 AND sub = $39
    )
) AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $40 AND unlink.provider = $41
        AND unlink.identifier_hash IN (sha256(convert_to($42, 'UTF8'))) AND unlink.app_id IN ('', $43)
        AND (unlink.unlinked_at > $44 OR unlink.reported_at > $45)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $46 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $47 AND provider = $48
    AND (identifier = $49
        OR transfer_sub = $50 AND last_seen_at > $51) ORDER BY created_at LIMIT 1),
    $52
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $53 AND provider = $54
    AND (identifier = $55
        OR transfer_sub = $56 AND last_seen_at > $57))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $58 AND own.sub = $59)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $60 AND host.registration = 'open')
)
ON CONFLICT (team_id, announcement_hash) DO UPDATE SET sub = excluded.sub, held_until = excluded.held_until,
    is_doubtful = true
;
-- pippin_app 25 17 25 25 25 25 25 1184 25 25 25 25 25 25 25 1184 1184 20 25 25 25 25 25 1184 25 25 25 25 25 25 1184 25 25 25 25 25 25 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25
INSERT INTO upstream_announcements AS known (
    team_id, announcement_hash, provider, sub, app_id, form_given_name, form_family_name, form_email, given_name,
    family_name, announced_at, held_until
)
SELECT $1, $2, $3, coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $4 AND provider = $5
    AND (identifier = $6
        OR transfer_sub = $7 AND last_seen_at > $8) ORDER BY created_at LIMIT 1),
    $9
), $10,
    CASE WHEN room.is_left THEN $11::text END,
    CASE WHEN room.is_left THEN $12::text END,
    CASE WHEN room.is_left THEN $13::text END,
    $14, $15, $16, $17
FROM (
    SELECT count(*) < $18 AS is_left FROM upstream_announcements AS other
    WHERE other.team_id = $19 AND other.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $20 AND provider = $21
    AND (identifier = $22
        OR transfer_sub = $23 AND last_seen_at > $24) ORDER BY created_at LIMIT 1),
    $25
)
        AND other.app_id = $26 AND other.form_given_name IS NOT NULL
) AS room
WHERE NOT (
    NOT EXISTS (SELECT FROM upstream_identities WHERE team_id = $27 AND provider = $28
    AND (identifier = $29
        OR transfer_sub = $30 AND last_seen_at > $31))
    AND NOT EXISTS (
        SELECT FROM upstream_identities
        WHERE team_id = $32 AND sub = $33 AND linked_at IS NULL
    )
    AND EXISTS (
        SELECT FROM login_names WHERE team_id = $34 AND sub = $35
        UNION ALL
        SELECT FROM passwords WHERE team_id = $36 AND sub = $37
        UNION ALL
        SELECT FROM passkeys WHERE team_id = $38 AND sub = $39
    )
) AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $40 AND unlink.provider = $41
        AND unlink.identifier_hash IN (sha256(convert_to($42, 'UTF8')), sha256(convert_to('transfer ' || $43, 'UTF8'))) AND unlink.app_id IN ('', $44)
        AND (unlink.unlinked_at > $45 OR unlink.reported_at > $46)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $47 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $48 AND provider = $49
    AND (identifier = $50
        OR transfer_sub = $51 AND last_seen_at > $52) ORDER BY created_at LIMIT 1),
    $53
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $54 AND provider = $55
    AND (identifier = $56
        OR transfer_sub = $57 AND last_seen_at > $58))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $59 AND own.sub = $60)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $61 AND host.registration = 'open')
)
ON CONFLICT (team_id, announcement_hash) DO UPDATE SET sub = excluded.sub, held_until = excluded.held_until,
    is_doubtful = true
;
-- pippin_app 25 17 25 25 25 25 25 17 1184 1184

INSERT INTO upstream_tokens (
    team_id, token_id, provider, sub, identifier, app_id, client_id, token_sealed, created_at, validate_at
)
SELECT $1, $2, $3, $4, $5, $6,
    $7, $8, $9, $10

ON CONFLICT DO NOTHING
;
-- pippin_app 25 17 25 25 25 25 25 17 1184 1184 25 25 25 25 25 25

INSERT INTO upstream_tokens (
    team_id, token_id, provider, sub, identifier, app_id, client_id, token_sealed, created_at, validate_at
)
SELECT $1, $2, $3, $4, $5, $6,
    $7, $8, $9, $10
WHERE EXISTS (SELECT FROM upstream_identities AS standing
WHERE standing.team_id = $11 AND standing.provider = $12
    AND standing.identifier = $13 AND standing.sub = $14
    AND standing.state = 'authorized' AND EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = $15 AND person.sub = $16 AND person.suspended_at IS NULL
    ) )
ON CONFLICT DO NOTHING
;
-- pippin_app 25 17 25 25 25 25 25 17 1184 1184 25 25 25 25 25 25 25 25 25

INSERT INTO upstream_tokens (
    team_id, token_id, provider, sub, identifier, app_id, client_id, token_sealed, created_at, validate_at
)
SELECT $1, $2, $3, $4, $5, $6,
    $7, $8, $9, $10
WHERE EXISTS (SELECT FROM upstream_identities AS standing
WHERE standing.team_id = $11 AND standing.provider = $12
    AND standing.identifier = $13 AND standing.sub = $14
    AND standing.state = 'authorized' AND EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = $15 AND person.sub = $16 AND person.suspended_at IS NULL
    ) AND EXISTS (
    SELECT FROM consents AS given
    WHERE given.team_id = $17 AND given.sub = $18 AND given.app_id = $19
))
ON CONFLICT DO NOTHING
;
-- pippin_app 25 17 25 25 25 25 25 20
WITH upstream_ended AS (
    UPDATE upstream_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
    WHERE team_id = $1 AND token_id = $2 AND state = 'live' AND NOT EXISTS (SELECT sub FROM upstream_identities
WHERE team_id = $3 AND provider = $4 AND identifier = $5)
    RETURNING token_id
), upstream_jobs AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
SELECT $6, pippin_job_id(), $7, $8, payload, clock_timestamp()
FROM (SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM upstream_ended) AS wanted (payload)
) SELECT
;
-- pippin_app 25 17 25 25 25 25 25 25 25 17 25 1184
INSERT INTO mailed_links (
    team_id, token_hash, purpose, sub, email, given_name, family_name, password_hash, interaction_id,
    browser_hash, request_query, expires_at
) VALUES (
    $1, $2, $3, $4, $5, $6,
    $7, $8, $9, $10,
    $11, $12
)
;
-- pippin_app 25 17 25 25 25 25 25 25 25 20
WITH upstream_ended AS (
    UPDATE upstream_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
    WHERE team_id = $1 AND token_id = $2 AND state = 'live' AND NOT EXISTS (SELECT FROM consents WHERE team_id = $3 AND sub = (SELECT sub FROM upstream_identities
WHERE team_id = $4 AND provider = $5 AND identifier = $6) AND app_id = $7)
    RETURNING token_id
), upstream_jobs AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
SELECT $8, pippin_job_id(), $9, $10, payload, clock_timestamp()
FROM (SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM upstream_ended) AS wanted (payload)
) SELECT
;
-- pippin_app 25 20
SELECT count(*) FROM (SELECT FROM app_ids WHERE team_id = $1 LIMIT $2) AS known
;
-- pippin_app 25 20
SELECT count(*) FROM (SELECT FROM app_transfers WHERE team_id = $1 AND state = 'offered' LIMIT $2) AS known
;
-- pippin_app 25 20
SELECT count(*) FROM (SELECT FROM memberships WHERE team_id = $1 LIMIT $2) AS known
;
-- pippin_app 25 20
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after FROM audit_events e
WHERE e.team_id = $1
ORDER BY e.at DESC, e.event_id DESC
LIMIT $2) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 20
SELECT kind, every_seconds, due_at, worker, ran_at, ran_milliseconds, problem
FROM jobs
WHERE team_id = $1 AND state = 'pending' AND priority = $2
ORDER BY kind
;
-- pippin_app 25 20 1184 20
SELECT count(*) FROM (SELECT FROM (
    SELECT settled_at FROM app_transfers WHERE target_team = $1 AND state = 'accepted'
    ORDER BY settled_at AT TIME ZONE 'UTC' DESC LIMIT $2
) AS newest
WHERE settled_at > $3 LIMIT $4) AS known
;
-- pippin_app 25 20 1184 20
SELECT count(*) FROM (SELECT FROM (
    SELECT settled_at FROM app_transfers WHERE team_id = $1 AND state = 'accepted'
    ORDER BY settled_at AT TIME ZONE 'UTC' DESC LIMIT $2
) AS newest
WHERE settled_at > $3 LIMIT $4) AS known
;
-- pippin_app 25 20 17 1184 1184 25 17
INSERT INTO audit_checkpoints (team_id, position, code, latest_at, made_at, key_id, signature)
VALUES (
    $1, $2, $3, $4, $5,
    $6, $7
)
ON CONFLICT (team_id) DO UPDATE
SET position = excluded.position, code = excluded.code, latest_at = excluded.latest_at,
    made_at = excluded.made_at, key_id = excluded.key_id, signature = excluded.signature
;
-- pippin_app 25 20 20 20 25
SELECT s.position, s.at, s.event_id, s.sealed_at, s.key_id, s.code,
    e.event_id IS NOT NULL, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, NULL::text, NULL::text, NULL::text, NULL::text
FROM (
    SELECT * FROM audit_seals
    WHERE team_id = $1 AND position > $2 AND position <= $3
    ORDER BY position
    LIMIT $4
) AS s
LEFT JOIN LATERAL (
    SELECT * FROM audit_events
    WHERE team_id = $5 AND at = s.at AND event_id = s.event_id
    OFFSET 0
) AS e ON true
ORDER BY s.position
;
-- pippin_app 25 20 20 25 25 25 20 25 25 20
WITH waiting AS (
    SELECT FROM jobs
    WHERE team_id = $1 AND kind = 'upstream.notification' AND state = 'pending'
    LIMIT $2
), room AS (
    SELECT WHERE (SELECT count(*) FROM waiting) < $3
), job AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotency_key, due_at)
SELECT $4, $5, $6, $7, $8::jsonb, $9,
    clock_timestamp() + $10 * interval '1 microsecond'
FROM room
ON CONFLICT DO NOTHING
)
SELECT FROM room
;
-- pippin_app 25 20 25
SELECT t.audit_retention_days, s.at < now() - make_interval(days => t.audit_retention_days),
    s.position, s.at, s.event_id, s.sealed_at, s.key_id, s.code,
    e.event_id IS NOT NULL, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, NULL::text, NULL::text, NULL::text, NULL::text
FROM (
    SELECT * FROM audit_seals WHERE team_id = $1
    ORDER BY position
    LIMIT $2
) AS s
JOIN teams AS t ON t.team_id = s.team_id
LEFT JOIN LATERAL (
    SELECT * FROM audit_events
    WHERE team_id = $3 AND at = s.at AND event_id = s.event_id
    OFFSET 0
) AS e ON true
ORDER BY s.position
;
-- pippin_app 25 20 25
SELECT u.at, u.event_id, e.event_id IS NOT NULL, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, NULL::text, NULL::text, NULL::text, NULL::text
FROM (
    SELECT at, event_id FROM audit_unsealed WHERE team_id = $1
    ORDER BY at, event_id
    LIMIT $2
) AS u
LEFT JOIN LATERAL (
    SELECT * FROM audit_events
    WHERE team_id = $3 AND at = u.at AND event_id = u.event_id
    OFFSET 0
) AS e ON true
ORDER BY u.at, u.event_id
;
-- pippin_app 25 20 25 1184 1184 25 20 25
SELECT (
    SELECT count(*) FROM (
        SELECT FROM notifications WHERE team_id = $1 
        ORDER BY created_at DESC, notification_id LIMIT $2
    ) AS counted
), page.notification_id IS NOT NULL, page.notification_id, page.type, page.sub, page.app_id, page.state, page.attempts, page.is_test,
page.created_at, page.settled_at, job.attempts, job.worker IS NOT NULL, job.due_at
FROM (VALUES (1)) AS one (row) LEFT JOIN (
    SELECT notification_id, type, sub, app_id, state, attempts, is_test, created_at, settled_at, job_id FROM notifications
    WHERE team_id = $3  AND created_at <= $4
AND (created_at < $5 OR notification_id > $6)
    ORDER BY created_at DESC, notification_id
    LIMIT $7
) AS page ON true LEFT JOIN jobs AS job ON job.team_id = $8 AND job.job_id = page.job_id
    AND job.state = 'pending' AND page.state = 'pending'
ORDER BY page.created_at DESC, page.notification_id
;
-- pippin_app 25 20 25 1184 1184 25 20 25
WITH total AS (
    SELECT count(*) AS number FROM (
        SELECT FROM users c WHERE c.team_id = $1
        ORDER BY c.created_at DESC, c.sub LIMIT $2
    ) AS counted
), page AS (
    SELECT c.sub, c.created_at FROM users c WHERE c.team_id = $3 AND c.created_at <= $4
AND (c.created_at < $5 OR c.sub > $6)
    ORDER BY c.created_at DESC, c.sub
    LIMIT $7
)
SELECT (SELECT number FROM total), u.sub IS NOT NULL, u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version
FROM (VALUES (1)) AS one (row)
LEFT JOIN (
    page CROSS JOIN LATERAL (
        SELECT * FROM users WHERE team_id = $8 AND sub = page.sub OFFSET 0
    ) AS u
) ON true
ORDER BY u.created_at DESC, u.sub
;
-- pippin_app 25 20 25 17 25 25 25 25 25 16 16 25 25 25 25 25 25 25 16 1184
INSERT INTO interactions (
    team_id, time_partition, interaction_id, browser_hash, client_id, app_id, redirect_uri, response_type,
    response_mode, wants_name, wants_email, state, nonce, code_challenge, test_sign_in_id, next_path, language,
    login_hint, requires_reauthentication, created_at
) VALUES (
    $1, $2, $3, $4, $5, $6,
    $7, $8, $9, $10,
    $11, $12, $13, $14, $15,
    $16, $17, $18, $19,
    $20
)
;
-- pippin_app 25 20 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM mailbox WHERE team_id = $1 
        ORDER BY at DESC, mail_id DESC LIMIT $2
    ) AS counted
), page.mail_id IS NOT NULL, mail_id, at, of_team, message, recipient, subject
FROM (VALUES (1)) AS one (row) LEFT JOIN (
    SELECT mail_id, at, of_team, message, recipient, subject FROM mailbox
    WHERE team_id = $3  
    ORDER BY at DESC, mail_id DESC LIMIT $4
) AS page ON true
ORDER BY at DESC, mail_id DESC
;
-- pippin_app 25 20 25 20 25
SELECT (
    SELECT count(*) FROM (
        SELECT FROM notifications WHERE team_id = $1 
        ORDER BY created_at DESC, notification_id LIMIT $2
    ) AS counted
), page.notification_id IS NOT NULL, page.notification_id, page.type, page.sub, page.app_id, page.state, page.attempts, page.is_test,
page.created_at, page.settled_at, job.attempts, job.worker IS NOT NULL, job.due_at
FROM (VALUES (1)) AS one (row) LEFT JOIN (
    SELECT notification_id, type, sub, app_id, state, attempts, is_test, created_at, settled_at, job_id FROM notifications
    WHERE team_id = $3  
    ORDER BY created_at DESC, notification_id
    LIMIT $4
) AS page ON true LEFT JOIN jobs AS job ON job.team_id = $5 AND job.job_id = page.job_id
    AND job.state = 'pending' AND page.state = 'pending'
ORDER BY page.created_at DESC, page.notification_id
;
-- pippin_app 25 20 25 20 25
WITH total AS (
    SELECT count(*) AS number FROM (
        SELECT FROM users c WHERE c.team_id = $1
        ORDER BY c.created_at DESC, c.sub LIMIT $2
    ) AS counted
), page AS (
    SELECT c.sub, c.created_at FROM users c WHERE c.team_id = $3 AND true
    ORDER BY c.created_at DESC, c.sub
    LIMIT $4
)
SELECT (SELECT number FROM total), u.sub IS NOT NULL, u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version
FROM (VALUES (1)) AS one (row)
LEFT JOIN (
    page CROSS JOIN LATERAL (
        SELECT * FROM users WHERE team_id = $5 AND sub = page.sub OFFSET 0
    ) AS u
) ON true
ORDER BY u.created_at DESC, u.sub
;
-- pippin_app 25 20 25 20 25 16 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH noted AS (
    INSERT INTO audit_chains (team_id, verified_at, verified_position, findings)
    VALUES ($1, now(), $2, $3::jsonb)
    ON CONFLICT (team_id) DO UPDATE
    SET verified_at = now(), verified_position = $4, findings = $5::jsonb,
        verification_asked_at = CASE WHEN $6 THEN audit_chains.verification_asked_at END
)
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $7, clock_timestamp(), $8, $9, $10, $11,
    $12, $13, NULLIF($14, ''), NULLIF($15, ''),
    NULLIF($16, ''), $17::jsonb, $18::jsonb,
    $19, $20

;
-- pippin_app 25 20 25 20 25 16 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH noted AS (
    INSERT INTO audit_chains (team_id, verified_at, verified_position, findings)
    VALUES ($1, now(), $2, $3::jsonb)
    ON CONFLICT (team_id) DO UPDATE
    SET verified_at = now(), verified_position = $4, findings = $5::jsonb,
        verification_asked_at = CASE WHEN $6 THEN audit_chains.verification_asked_at END
)
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $7, clock_timestamp(), $8, $9, $10, $11,
    $12, $13, NULLIF($14, ''), NULLIF($15, ''),
    NULLIF($16, ''), $17::jsonb, $18::jsonb,
    $19, $20
WHERE false
;
-- pippin_app 25 20 25 25
SELECT FROM upstream_tokens WHERE team_id = $1 AND state = 'live'
UNION ALL (SELECT FROM jobs
WHERE state = 'pending' AND priority = $2 AND team_id = $3 AND kind = $4)
LIMIT 1
;
-- pippin_app 25 20 25 25 20
SELECT token_id, provider, sub, identifier, app_id, client_id, token_sealed FROM upstream_tokens
WHERE team_id = $1 AND state = 'ending' AND NOT EXISTS (
    SELECT FROM jobs
WHERE state = 'pending' AND priority = $2 AND team_id = $3 AND kind = $4 AND payload->>'token' = encode(token_id, 'hex')
)
ORDER BY token_id LIMIT $5 FOR UPDATE SKIP LOCKED
;
-- pippin_app 25 20 25 25 25
WITH page AS MATERIALIZED (
    SELECT a.identifier, a.description, a.is_enabled, a.primary_identifier, a.notification_url, a.issuer,
a.version, a.created_at FROM app_ids AS a
    WHERE a.team_id = $1 
    ORDER BY a.identifier
    LIMIT $2
), services AS MATERIALIZED (
    SELECT app_id, count(*) FROM service_ids
    WHERE team_id = $3 AND app_id = ANY (ARRAY (SELECT identifier FROM page))
    GROUP BY app_id
), active AS MATERIALIZED (
    SELECT app_id, count(*) FROM keys
    WHERE team_id = $4 AND rank IS NOT NULL AND app_id = ANY (ARRAY (SELECT identifier FROM page))
    GROUP BY app_id
)
SELECT total.count, page.identifier IS NOT NULL, coalesce(services.count, 0), coalesce(active.count, 0),
    page.*
FROM (SELECT count(*) FROM app_ids AS a WHERE a.team_id = $5) AS total
LEFT JOIN page ON true
LEFT JOIN services ON services.app_id = page.identifier
LEFT JOIN active ON active.app_id = page.identifier
ORDER BY page.identifier
;
-- pippin_app 25 20 25 25 25 20
UPDATE jobs
SET state = 'dead', worker = NULL, problem = $1,
    finished_at = clock_timestamp(), keep_until = clock_timestamp() + $2 * interval '1 microsecond'
WHERE team_id = $3 AND job_id = $4 AND state = 'pending' AND worker = $5
AND attempts = $6
;
-- pippin_app 25 20 25 25 25 20
UPDATE jobs
SET state = 'succeeded', worker = NULL, payload = '{}', problem = NULL, result = $1::jsonb,
    finished_at = clock_timestamp(), keep_until = clock_timestamp() + $2 * interval '1 microsecond'
WHERE team_id = $3 AND job_id = $4 AND state = 'pending' AND worker = $5
AND attempts = $6
;
-- pippin_app 25 20 25 25 25 25 20
WITH upstream_ended AS (
    UPDATE upstream_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
    WHERE team_id = $1 AND (state = 'refused' OR (state = 'ending' AND NOT EXISTS (
    SELECT FROM jobs
WHERE state = 'pending' AND priority = $2 AND team_id = $3 AND kind = $4 AND payload->>'token' = encode(token_id, 'hex')
)))
    RETURNING token_id
), upstream_jobs AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
SELECT $5, pippin_job_id(), $6, $7, payload, clock_timestamp()
FROM (SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM upstream_ended) AS wanted (payload)
) SELECT FROM upstream_ended
;
-- pippin_app 25 25
DELETE FROM apple_connection_tests WHERE team_id = $1 AND app_id = $2
;
-- pippin_app 25 25
DELETE FROM apple_connections WHERE team_id = $1 AND app_id = $2
;
-- pippin_app 25 25
DELETE FROM apple_keys WHERE team_id = $1 AND app_id = $2
;
-- pippin_app 25 25
DELETE FROM apple_keys WHERE team_id = $1 AND key_id = $2
;
-- pippin_app 25 25
DELETE FROM authorization_codes WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25
DELETE FROM authorization_codes WHERE team_id = $1 AND sub = $2 AND redeemed_at IS NULL
;
-- pippin_app 25 25
DELETE FROM client_identifiers WHERE team_id = $1 AND identifier = $2
;
-- pippin_app 25 25
DELETE FROM email_sources AS e WHERE e.team_id = $1 AND e.source = $2
RETURNING e.kind, e.source, e.dkim_selectors, e.version, e.created_at, e.checked_at, e.records::text
;
-- pippin_app 25 25
DELETE FROM invitations WHERE team_id = $1 AND invitation_id = $2
RETURNING invitation_id, email, role, invited_by, created_at, expires_at
;
-- pippin_app 25 25
DELETE FROM keys WHERE team_id = $1 AND app_id = $2
;
-- pippin_app 25 25
DELETE FROM mailed_links
WHERE team_id = $1 AND purpose = 'invitation' AND invited_by = $2
RETURNING invitation_id
;
-- pippin_app 25 25
DELETE FROM mailed_links WHERE team_id = $1 AND invitation_id = $2
;
-- pippin_app 25 25
DELETE FROM mailed_links WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25
DELETE FROM memberships WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25
DELETE FROM passkeys WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25
DELETE FROM recovery_codes WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25
DELETE FROM return_urls WHERE team_id = $1 AND service_id = $2
;
-- pippin_app 25 25
DELETE FROM sessions WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25
DELETE FROM totp_secrets WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25
DELETE FROM users WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25
INSERT INTO users (team_id, sub) VALUES ($1, $2)
;
-- pippin_app 25 25
SELECT CASE WHEN current_setting('transaction_read_only') = 'on' THEN 'database_read_only'
        WHEN current_user <> $1 THEN 'database_role'
        WHEN NOT row_security_active($2::text) THEN 'database_wall' END,
    pg_backend_pid(), pg_postmaster_start_time()
;
-- pippin_app 25 25
SELECT COALESCE(c.position, 0), COALESCE(c.code, ''), c.sealed_at, (
    SELECT count(*) FROM (
        SELECT FROM audit_unsealed u WHERE u.team_id = $1 LIMIT 1000
    ) AS counted
), c.verification_asked_at IS NOT NULL, c.verified_at, c.verified_position,
    COALESCE(c.findings, '[]')::text, t.audit_retention_days
FROM teams t LEFT JOIN audit_chains c ON c.team_id = t.team_id
WHERE t.team_id = $2
;
-- pippin_app 25 25
SELECT DISTINCT provider FROM upstream_identities WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25
SELECT EXISTS (SELECT FROM totp_secrets f WHERE f.team_id = s.team_id AND f.sub = s.sub),
(SELECT count(*) FROM passkeys f WHERE f.team_id = s.team_id AND f.sub = s.sub),
(SELECT count(*) FROM recovery_codes f
    WHERE f.team_id = s.team_id AND f.sub = s.sub AND f.used_at IS NULL) FROM (SELECT $1::text AS team_id, $2::text AS sub) s
;
-- pippin_app 25 25
SELECT FROM app_ids WHERE team_id = $1 AND identifier = $2 FOR KEY SHARE
;
-- pippin_app 25 25
SELECT FROM apple_connections WHERE team_id = $1 AND app_id = $2 FOR NO KEY UPDATE
;
-- pippin_app 25 25
SELECT FROM ended_clients WHERE team_id = $1 AND client_id = $2
;
-- pippin_app 25 25
SELECT FROM keys WHERE team_id = $1 AND key_id = $2
;
-- pippin_app 25 25
SELECT FROM recovery_codes WHERE team_id = $1 AND sub = $2 LIMIT 1
;
-- pippin_app 25 25
SELECT FROM service_ids WHERE team_id = $1 AND identifier = $2 FOR UPDATE
;
-- pippin_app 25 25
SELECT FROM users WHERE team_id = $1 AND sub = $2 FOR NO KEY UPDATE
;
-- pippin_app 25 25
SELECT FROM users WHERE team_id = $1 AND sub = $2 FOR UPDATE
;
-- pippin_app 25 25
SELECT WHERE NOT EXISTS (SELECT FROM memberships WHERE team_id = $1 AND role = $2)
;
-- pippin_app 25 25
SELECT a.identifier, a.description, a.is_enabled, a.primary_identifier, a.notification_url, a.issuer,
a.version, a.created_at FROM app_ids AS a
WHERE a.team_id = $1 AND a.identifier = $2
;
-- pippin_app 25 25
SELECT a.identifier, a.description, a.is_enabled, a.primary_identifier, a.notification_url, a.issuer,
a.version, a.created_at FROM app_ids AS a
WHERE a.team_id = $1 AND a.identifier = $2
FOR UPDATE
;
-- pippin_app 25 25
SELECT app_id FROM apple_connections WHERE team_id = $1 AND key_id = $2 LIMIT 1
;
-- pippin_app 25 25
SELECT app_id FROM apple_keys WHERE team_id = $1 AND key_id = $2 FOR KEY SHARE
;
-- pippin_app 25 25
SELECT at, event_id FROM (SELECT a.at, a.event_id FROM audit_words a
WHERE a.team_id = $1 AND a.word = $2
   ORDER BY a.at DESC, a.event_id DESC LIMIT 5000) AS walked
OFFSET 5000 - 1
;
-- pippin_app 25 25
SELECT at, url, status, problem, milliseconds, excerpt FROM delivery_attempts
WHERE team_id = $1 AND notification_id = $2
ORDER BY number DESC
LIMIT 100
;
-- pippin_app 25 25
SELECT c.app_id, c.services_id, c.key_id, k.apple_team_id, c.version, c.created_at
FROM apple_connections AS c JOIN apple_keys AS k ON k.team_id = c.team_id AND k.key_id = c.key_id
WHERE c.team_id = $1 AND c.app_id = $2
;
-- pippin_app 25 25
SELECT c.app_id, c.services_id, c.key_id, k.apple_team_id, c.version, c.created_at
FROM apple_connections AS c JOIN apple_keys AS k ON k.team_id = c.team_id AND k.key_id = c.key_id
WHERE c.team_id = $1 AND c.app_id = $2 FOR UPDATE OF c
;
-- pippin_app 25 25
SELECT client_id, key_id, apple_team_id, outcome, detail, tested_at
FROM apple_connection_tests
WHERE team_id = $1 AND app_id = $2
ORDER BY client_id
;
-- pippin_app 25 25
SELECT confirmed_at, last_used_at FROM totp_secrets
WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1   
     AND e.actor = $2 ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 25
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1   
 AND e.target = $2      ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 25
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1   
AND e.action = $2      ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 25
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1   
AND e.action = $2   AND e.outcome = 'refused'   ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 25
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1   
AND e.action = $2   AND e.outcome = 'succeeded'   ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 25
SELECT credential_id, name, is_backed_up, created_at, last_used_at FROM passkeys
WHERE team_id = $1 AND sub = $2
ORDER BY created_at, credential_id
;
-- pippin_app 25 25
SELECT d.domain, d.token, d.is_verified, d.failed_since, d.checked_at, d.finding, d.status, d.detail,
ARRAY(
    SELECT s.service_id FROM service_domains AS s
    WHERE s.team_id = d.team_id AND s.domain = d.domain ORDER BY s.service_id
),
(SELECT t.mode = 'sandbox' FROM teams AS t WHERE t.team_id = d.team_id),
CASE WHEN d.domain ~ '^(.*\.)?localhost$|^127\.[0-9.]+$|^\[::1\]$' THEN (
    SELECT u.url FROM return_urls AS u
    JOIN service_domains AS s ON s.team_id = u.team_id AND s.service_id = u.service_id
    WHERE s.team_id = d.team_id AND s.domain = d.domain AND (
        starts_with(u.url, 'http://' || d.domain || ':') OR starts_with(u.url, 'http://' || d.domain || '/')
    )
    ORDER BY u.service_id, u.rank LIMIT 1
) END FROM domains AS d WHERE d.team_id = $1 AND d.domain = $2
;
-- pippin_app 25 25
SELECT document, known::text, approved::text, seen::text, seen_at, differs_since FROM apple_publications
WHERE team_id = $1 AND document = $2 FOR UPDATE
;
-- pippin_app 25 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   
     AND e.actor = $2
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   
 AND e.target = $2     
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   
AND e.action = $2     
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   
AND e.action = $2   AND e.outcome = 'refused'  
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   
AND e.action = $2   AND e.outcome = 'succeeded'  
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 25
SELECT e.kind, e.source, e.dkim_selectors, e.version, e.created_at, e.checked_at, e.records::text FROM email_sources AS e WHERE e.team_id = $1 AND e.source = $2
;
-- pippin_app 25 25
SELECT e.kind, e.source, e.dkim_selectors, e.version, e.created_at, e.checked_at, e.records::text FROM email_sources AS e WHERE e.team_id = $1 AND e.source = $2 FOR UPDATE
;
-- pippin_app 25 25
SELECT email FROM users WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25
SELECT identifier FROM app_ids
WHERE team_id = $1 AND lower(identifier) = lower($2) LIMIT 1
;
-- pippin_app 25 25
SELECT identifier FROM upstream_identities WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25
SELECT identifier, kind FROM client_identifiers
WHERE team_id = $1 AND lower(identifier) = lower($2)
;
-- pippin_app 25 25
SELECT invitation_id, email, role, invited_by, created_at, expires_at FROM invitations WHERE team_id = $1 AND invitation_id = $2
;
-- pippin_app 25 25
SELECT is_verified FROM domains
WHERE team_id = $1 AND domain = $2
FOR UPDATE
;
-- pippin_app 25 25
SELECT k.key_id, k.apple_team_id, k.name, k.app_id, k.fingerprint, k.version, k.created_at FROM apple_keys AS k WHERE k.team_id = $1 AND k.app_id = $2 ORDER BY k.key_id
;
-- pippin_app 25 25
SELECT k.key_id, k.apple_team_id, k.name, k.app_id, k.fingerprint, k.version, k.created_at FROM apple_keys AS k WHERE k.team_id = $1 AND k.key_id = $2
;
-- pippin_app 25 25
SELECT k.key_id, k.apple_team_id, k.name, k.app_id, k.fingerprint, k.version, k.created_at FROM apple_keys AS k WHERE k.team_id = $1 AND k.key_id = $2 FOR UPDATE
;
-- pippin_app 25 25
SELECT k.key_id, k.name, k.app_id, k.public_key_pem, k.fingerprint, k.private_key_sealed IS NOT NULL,
k.downloaded_at, k.created_at, k.revoked_at, u.last_used_at FROM keys AS k LEFT JOIN key_uses AS u ON u.team_id = k.team_id AND u.key_id = k.key_id
WHERE k.team_id = $1 AND k.app_id = $2 AND k.rank IS NOT NULL
ORDER BY k.created_at DESC, k.key_id DESC
;
-- pippin_app 25 25
SELECT k.key_id, k.name, k.app_id, k.public_key_pem, k.fingerprint, k.private_key_sealed IS NOT NULL,
k.downloaded_at, k.created_at, k.revoked_at, u.last_used_at FROM keys AS k LEFT JOIN key_uses AS u ON u.team_id = k.team_id AND u.key_id = k.key_id WHERE k.team_id = $1 AND k.key_id = $2
;
-- pippin_app 25 25
SELECT k.key_id, k.name, k.app_id, k.public_key_pem, k.fingerprint, k.private_key_sealed IS NOT NULL,
k.downloaded_at, k.created_at, k.revoked_at, u.last_used_at FROM keys AS k LEFT JOIN key_uses AS u ON u.team_id = k.team_id AND u.key_id = k.key_id WHERE k.team_id = $1 AND k.key_id = $2 FOR UPDATE OF k
;
-- pippin_app 25 25
SELECT mail_id, at, of_team, message, recipient, subject, body_text, body_html, link
FROM mailbox WHERE team_id = $1 AND mail_id = $2
;
-- pippin_app 25 25
SELECT max(received_at) FROM upstream_notifications WHERE team_id = $1 AND provider = $2
;
-- pippin_app 25 25
SELECT media_type, octets FROM team_logos WHERE team_id = $1 AND digest = $2
;
-- pippin_app 25 25
SELECT pippin_lock_open_teams($1, $2)
;
-- pippin_app 25 25
SELECT primary_identifier FROM app_ids
WHERE team_id = $1 AND identifier = $2
FOR SHARE
;
-- pippin_app 25 25
SELECT private_key_sealed FROM apple_keys WHERE team_id = $1 AND key_id = $2
;
-- pippin_app 25 25
SELECT private_key_sealed FROM test_sign_ins WHERE team_id = $1 AND test_sign_in_id = $2
;
-- pippin_app 25 25
SELECT provider, client_id, issued_at, fate, settled_at, problem FROM deletion_receipt_tokens
WHERE team_id = $1 AND receipt_id = $2
ORDER BY number
;
-- pippin_app 25 25
SELECT provider, identifier, transfer_sub, real_user_status::bigint, form_given_name, form_family_name,
    form_email, form_received_at, email, is_private_email, linked_at, state, state_at, created_at,
    last_seen_at
FROM upstream_identities
WHERE team_id = $1 AND sub = $2
ORDER BY created_at, identifier
;
-- pippin_app 25 25
SELECT role FROM invitations WHERE team_id = $1 AND lower(email) = lower($2)
;
-- pippin_app 25 25
SELECT role FROM memberships WHERE team_id = $1 AND sub = $2 FOR SHARE
;
-- pippin_app 25 25
SELECT s.identifier, s.app_id, s.description, s.issuer, s.booleans, s.requires_pkce, s.version, s.created_at,
ARRAY(
    SELECT d.domain FROM service_domains AS d
    WHERE d.team_id = s.team_id AND d.service_id = s.identifier ORDER BY d.domain
),
ARRAY(
    SELECT u.url FROM return_urls AS u
    WHERE u.team_id = s.team_id AND u.service_id = s.identifier ORDER BY u.rank
) FROM service_ids AS s
WHERE s.team_id = $1 AND s.app_id = $2
ORDER BY s.rank
;
-- pippin_app 25 25
SELECT s.identifier, s.app_id, s.description, s.issuer, s.booleans, s.requires_pkce, s.version, s.created_at,
ARRAY(
    SELECT d.domain FROM service_domains AS d
    WHERE d.team_id = s.team_id AND d.service_id = s.identifier ORDER BY d.domain
),
ARRAY(
    SELECT u.url FROM return_urls AS u
    WHERE u.team_id = s.team_id AND u.service_id = s.identifier ORDER BY u.rank
) FROM service_ids AS s
WHERE s.team_id = $1 AND s.identifier = $2
;
-- pippin_app 25 25
SELECT secret_sealed FROM totp_secrets WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25
SELECT services_id FROM apple_connections
WHERE team_id = $1 AND lower(services_id) = lower($2) LIMIT 1
;
-- pippin_app 25 25
SELECT set_config($1, $2, false)
;
-- pippin_app 25 25
SELECT steps::text FROM test_sign_ins WHERE team_id = $1 AND test_sign_in_id = $2
;
-- pippin_app 25 25
SELECT sub, created_at, app_id FROM deletion_receipts
WHERE team_id = $1 AND receipt_id = $2
;
-- pippin_app 25 25
SELECT sub, role, created_at FROM memberships WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25
SELECT t.team_id, t.name, t.mode, t.identity_sources, t.second_factor, t.apple_keys, t.registration, t.id_token_seconds,
t.requires_verified_domains, t.account_delete_event, t.audit_retention_days, t.accent_colour,
t.privacy_url, t.terms_url, t.is_system, t.version, t.created_at, t.deletion_due_at, t.closed_at,
t.deleted_at, m.role
FROM memberships m JOIN teams t ON t.team_id = m.team_id
WHERE m.team_id = $1 AND m.sub = $2 AND NOT t.is_system AND t.deleted_at IS NULL
;
-- pippin_app 25 25
SELECT team_id, job_id, kind, priority, CASE WHEN state <> 'pending' THEN state
    WHEN worker IS NULL THEN 'waiting' ELSE 'running' END AS stands, attempts, created_at, due_at, finished_at, problem, payload::text, result::text
FROM jobs WHERE team_id = $1 AND job_id = $2
;
-- pippin_app 25 25
SELECT test_sign_in_id, service_id, session_hash, key_id, public_key_pem, return_url, state, nonce,
    wants_name, wants_email, response_mode, response_type, created_at, expires_at
FROM test_sign_ins
WHERE team_id = $1 AND test_sign_in_id = $2
;
-- pippin_app 25 25
SELECT u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version FROM users u
WHERE u.team_id = $1 AND u.sub = $2
FOR NO KEY UPDATE
;
-- pippin_app 25 25
SELECT u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version FROM users u WHERE u.team_id = $1 AND u.sub = $2
;
-- pippin_app 25 25
SELECT u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version,
    ARRAY (
        SELECT login FROM login_names l WHERE l.team_id = u.team_id AND l.sub = u.sub ORDER BY login
    ),
    EXISTS (SELECT FROM passwords p WHERE p.team_id = u.team_id AND p.sub = u.sub)
FROM users u
WHERE u.team_id = $1 AND u.sub = $2
;
-- pippin_app 25 25
SELECT u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version, p.hash
FROM login_names l
JOIN users u ON u.team_id = l.team_id AND u.sub = l.sub
LEFT JOIN passwords p ON p.team_id = u.team_id AND p.sub = u.sub
WHERE l.team_id = $1 AND l.login = $2
;
-- pippin_app 25 25
UPDATE app_ids SET primary_identifier = NULL, version = version + 1
WHERE team_id = $1 AND primary_identifier = $2
;
-- pippin_app 25 25
UPDATE app_transfers SET state = 'withdrawn', settled_at = clock_timestamp()
WHERE team_id = $1 AND offered_by = $2 AND state = 'offered'
RETURNING app_id, target_team
;
-- pippin_app 25 25
UPDATE apple_publications SET known = seen, approved = seen, differs_since = NULL
WHERE team_id = $1 AND document = $2
;
-- pippin_app 25 25
UPDATE keys SET rank = NULL, revoked_at = now(), private_key_sealed = NULL
WHERE team_id = $1 AND key_id = $2
;
-- pippin_app 25 25
UPDATE users
SET suspended_at = clock_timestamp(), credentials_version = credentials_version + 1
WHERE team_id = $1 AND sub = $2 AND suspended_at IS NULL
;
-- pippin_app 25 25
UPDATE users SET credentials_version = credentials_version + 1
WHERE team_id = $1 AND sub = $2
;
-- pippin_app 25 25 1009
DELETE FROM invitations
WHERE team_id = $1 AND invited_by = $2 AND NOT role = ANY ($3)
RETURNING invitation_id
;
-- pippin_app 25 25 1009
DELETE FROM service_domains
WHERE team_id = $1 AND service_id = $2 AND NOT domain = ANY($3)
;
-- pippin_app 25 25 1009
INSERT INTO return_urls (team_id, service_id, rank, url)
SELECT $1, $2, rank, url
FROM unnest($3) WITH ORDINALITY AS given (url, rank)
;
-- pippin_app 25 25 1009
INSERT INTO service_domains (team_id, service_id, domain)
SELECT $1, $2, domain FROM unnest($3) AS domain
ON CONFLICT DO NOTHING
;
-- pippin_app 25 25 1009
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1   
 AND e.target = $2    AND e.words @> $3  ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 25 1009
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   
 AND e.target = $2    AND e.words @> $3 
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 25 1009 20
DELETE FROM refresh_tokens WHERE team_id = $1 AND token_id IN (SELECT token_id FROM refresh_tokens
WHERE team_id = $2 AND client_id = ANY($3) AND authenticated_at > '-infinity'
LIMIT $4)
;
-- pippin_app 25 25 1009 25 25 25
UPDATE teams
SET name = $1, mode = $2,
    identity_sources = $3, second_factor = $4,
    apple_keys = $5, version = version + 1
WHERE team_id = $6
;
-- pippin_app 25 25 1009 25 25 25 20 16 25 20 25 25 25 25
UPDATE teams t SET name = $1, mode = $2,
identity_sources = $3,
second_factor = $4, apple_keys = $5, registration = $6,
id_token_seconds = $7,
requires_verified_domains = $8,
account_delete_event = $9,
audit_retention_days = $10, accent_colour = $11,
privacy_url = $12, terms_url = $13, version = version + 1 WHERE t.team_id = $14
RETURNING t.team_id, t.name, t.mode, t.identity_sources, t.second_factor, t.apple_keys, t.registration, t.id_token_seconds,
t.requires_verified_domains, t.account_delete_event, t.audit_retention_days, t.accent_colour,
t.privacy_url, t.terms_url, t.is_system, t.version, t.created_at, t.deletion_due_at, t.closed_at,
t.deleted_at
;
-- pippin_app 25 25 1184
INSERT INTO key_uses (team_id, key_id, last_used_at) VALUES ($1, $2, $3)
;
-- pippin_app 25 25 1184
INSERT INTO limits (team_id, subject, window_ends_at, count)
VALUES ($1, $2, $3, 1)
ON CONFLICT (team_id, subject) DO NOTHING
RETURNING 1
;
-- pippin_app 25 25 1184
SELECT FROM transferred_people p WHERE p.team_id = $1 AND p.transfer_sub = $2 AND p.expires_at > $3 ORDER BY p.app_id FOR UPDATE
;
-- pippin_app 25 25 1184
SELECT test_sign_in_id, service_id, session_hash, key_id, public_key_pem, return_url, state, nonce,
    wants_name, wants_email, response_mode, response_type, created_at, expires_at
FROM test_sign_ins
WHERE team_id = $1 AND key_id = $2 AND expires_at > $3
;
-- pippin_app 25 25 1184
SELECT test_sign_in_id, service_id, session_hash, key_id, public_key_pem, return_url, state, nonce,
    wants_name, wants_email, response_mode, response_type, created_at, expires_at
FROM test_sign_ins
WHERE team_id = $1 AND test_sign_in_id = $2 AND expires_at > $3
;
-- pippin_app 25 25 1184 1184
INSERT INTO client_secret_ends (team_id, client_id, ends_at, seen_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (team_id, client_id)
    DO UPDATE SET ends_at = excluded.ends_at, seen_at = excluded.seen_at
;
-- pippin_app 25 25 1184 1184 20
SELECT token_hash, created_at, last_seen_at, expires_at, ip, user_agent FROM sessions
WHERE team_id = $1 AND sub = $2
    AND expires_at > $3 AND last_seen_at > $4
ORDER BY last_seen_at DESC, token_hash
LIMIT $5
;
-- pippin_app 25 25 1184 1184 20 25 20 25 25 20 25 25 1184 1184 20 1184 25 25 1184 1184 1184 20 25 25 20 25 25 1184 1184 20 25 25 20 20
(
    SELECT $1 AS kind, client_id AS subject, ends_at AS since
    FROM client_secret_ends
    WHERE team_id = $2 AND ends_at > $3 AND ends_at <= $4
    ORDER BY ends_at LIMIT $5
)
UNION ALL
(
    SELECT 'mail_waits', problem, created_at FROM jobs
    WHERE team_id = $6 AND state = 'pending' AND priority = $7 AND attempts > 2
        AND problem IS NOT NULL
    ORDER BY created_at LIMIT 1
)
UNION ALL
(
    WITH RECURSIVE walk (app_id, since) AS (
        (
            SELECT app_id, problem_at FROM upstream_tokens
            WHERE team_id = $8 AND problem IS NOT NULL ORDER BY app_id, problem_at LIMIT 1
        )
        UNION ALL
        SELECT following.* FROM walk CROSS JOIN LATERAL (
            SELECT app_id, problem_at FROM upstream_tokens
            WHERE team_id = $9 AND problem IS NOT NULL AND app_id > walk.app_id ORDER BY app_id, problem_at LIMIT 1
        ) AS following
    )
    SELECT 'apple_refuses', app_id, since FROM walk LIMIT $10
)
UNION ALL
(
    SELECT $11 AS kind, client_id AS subject, ends_at AS since
    FROM client_secret_ends
    WHERE team_id = $12 AND ends_at > $13 AND ends_at <= $14
    ORDER BY ends_at LIMIT $15
)
UNION ALL
(
    SELECT CASE WHEN last_used_at IS NULL THEN 'key_never_used'
            WHEN last_used_at < $16 THEN 'key_unused'
            ELSE 'key_old' END AS kind,
        keys.key_id AS subject, coalesce(last_used_at, created_at) AS since
    FROM keys LEFT JOIN key_uses
        ON key_uses.team_id = $17 AND key_uses.key_id = keys.key_id
    WHERE keys.team_id = $18 AND rank IS NOT NULL AND (
        last_used_at IS NULL AND created_at < $19
        OR last_used_at < $20
        OR created_at < $21
    )
    ORDER BY created_at LIMIT $22
)
UNION ALL
(
    SELECT 'no_return_url', identifier, NULL::timestamptz FROM service_ids
    WHERE team_id = $23 AND NOT EXISTS (
        SELECT FROM return_urls
        WHERE return_urls.team_id = $24 AND service_id = service_ids.identifier
    )
    ORDER BY identifier LIMIT $25
)
UNION ALL
(
    SELECT 'no_sign_in', identifier, last_day::timestamptz
    FROM service_ids LEFT JOIN service_id_sign_ins AS used
        ON used.team_id = $26 AND used.service_id = identifier
    WHERE service_ids.team_id = $27 AND created_at < $28
        AND (last_day IS NULL OR last_day < $29::date)
    ORDER BY identifier LIMIT $30
)
UNION ALL
(
    SELECT 'domain_unverified', domain, failed_since FROM domains
    WHERE team_id = $31 AND NOT is_verified AND NOT (
        domain ~ '(^|[.])localhost$|^127([.][0-9]+){3}$|^\[::1\]$' AND EXISTS (
            SELECT FROM teams
            WHERE team_id = $32 AND mode = 'sandbox' AND NOT requires_verified_domains
        )
    )
    ORDER BY domain LIMIT $33
)
LIMIT $34
;
-- pippin_app 25 25 1184 1184 25 25 25 1184 1184 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM (SELECT a.at, a.event_id FROM audit_words a
WHERE a.team_id = $1 AND a.word = $2
  AND a.at <= $3 AND (a.at, a.event_id) < ($4, $5)) AS w JOIN LATERAL (
    SELECT * FROM audit_events e
    WHERE e.team_id = $6 AND e.at = w.at AND e.event_id = w.event_id
    OFFSET 0
) AS e ON true WHERE e.team_id = $7   AND e.at <= $8 AND (e.at, e.event_id) < ($9, $10)
     
ORDER BY w.at DESC, w.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 25 1184 20 16 1184 25 17 20 20
WITH spent AS (INSERT INTO limits (team_id, subject, window_ends_at, count)
VALUES ($1, $2, $3, 1)
ON CONFLICT (team_id, subject) DO NOTHING
RETURNING 1)
UPDATE passkeys
SET sign_count = $4, is_backed_up = $5, last_used_at = $6
WHERE team_id = $7 AND credential_id = $8
    AND (sign_count < $9 OR (sign_count = 0 AND $10 = 0))
    AND EXISTS (SELECT FROM spent)
;
-- pippin_app 25 25 1184 20 20
DELETE FROM upstream_requests WHERE team_id = $1 AND state_hash IN (
    SELECT state_hash FROM upstream_requests
    WHERE team_id = $2 AND answered_at IS NOT NULL AND settled_at IS NULL
        AND created_at < $3
    ORDER BY created_at OFFSET $4 LIMIT $5
)
;
-- pippin_app 25 25 1184 25 17
UPDATE upstream_tokens
SET problem = $1,
    problem_at = CASE WHEN problem = $2 THEN problem_at ELSE $3 END
WHERE team_id = $4 AND token_id = $5 AND state = 'live'
;
-- pippin_app 25 25 1184 25 20
SELECT total.count, page.key_id IS NOT NULL, page.*
FROM (SELECT count(*) FROM keys AS k WHERE k.team_id = $1 ) AS total
LEFT JOIN (
    SELECT k.key_id, k.name, k.app_id, k.public_key_pem, k.fingerprint, k.private_key_sealed IS NOT NULL,
k.downloaded_at, k.created_at, k.revoked_at, u.last_used_at FROM keys AS k LEFT JOIN key_uses AS u ON u.team_id = k.team_id AND u.key_id = k.key_id
    WHERE k.team_id = $2  AND (k.created_at, k.key_id) < ($3, $4)
    ORDER BY k.created_at DESC, k.key_id DESC
    LIMIT $5
) AS page ON true
ORDER BY page.created_at DESC, page.key_id DESC
;
-- pippin_app 25 25 1184 25 25 25 17
SELECT client_id = $1 AND test_sign_in_id IS NOT DISTINCT FROM $2, token_id,
    expires_at > $3,
    redirect_uri IS NOT DISTINCT FROM coalesce($4, redirect_uri),
    EXISTS (
        SELECT FROM users
        WHERE team_id = $5 AND users.sub = authorization_codes.sub AND suspended_at IS NOT NULL
    )
FROM authorization_codes
WHERE team_id = $6 AND time_partition = 0 AND code_hash = $7
;
-- pippin_app 25 25 1184 25 25 25 25 1184
SELECT app_id, state, settled_at FROM notifications
WHERE team_id = $1 AND sub = $2 AND type = 'account-delete' AND created_at >= $3
    AND ($4 IS NULL OR app_id = $5)
    AND created_at < coalesce(
        (
            SELECT min(created_at) FROM deletion_receipts
            WHERE team_id = $6 AND sub = $7 AND created_at > $8
        ),
        'infinity'
    )
ORDER BY app_id, created_at
;
-- pippin_app 25 25 1184 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH cut AS (
    INSERT INTO not_befores AS known (team_id, client_id, not_before)
    VALUES ($1, $2, $3)
    ON CONFLICT (team_id, client_id) DO UPDATE
    SET not_before = greatest(known.not_before, excluded.not_before)
)
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $4, clock_timestamp(), $5, $6, $7, $8,
    $9, $10, NULLIF($11, ''), NULLIF($12, ''),
    NULLIF($13, ''), $14::jsonb, $15::jsonb,
    $16, $17

;
-- pippin_app 25 25 16 16 25 17 1009 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH settled AS (
    UPDATE upstream_tokens SET state = $1, settled_at = clock_timestamp(),
    problem = $2,
    problem_at = CASE WHEN $3 THEN clock_timestamp() END,
    token_sealed = CASE WHEN $4 THEN ''::bytea ELSE token_sealed END
    WHERE team_id = $5 AND token_id = $6 AND state = ANY ($7)
    RETURNING token_id
), receipts AS (
    UPDATE deletion_receipt_tokens
SET fate = $8, settled_at = clock_timestamp(), problem = $9
WHERE team_id = $10 AND upstream_token_id IN (SELECT token_id FROM settled) AND fate <> 'revoked'
)
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $11, clock_timestamp(), $12, $13, $14, $15,
    $16, $17, NULLIF($18, ''), NULLIF($19, ''),
    NULLIF($20, ''), $21::jsonb, $22::jsonb,
    $23, $24
FROM settled
;
-- pippin_app 25 25 17
DELETE FROM interactions
WHERE team_id = $1 AND time_partition = 0 AND interaction_id = $2
    AND browser_hash = $3
RETURNING interaction_id
;
-- pippin_app 25 25 17
DELETE FROM interactions
WHERE team_id = $1 AND time_partition = 2 AND interaction_id = $2
    AND browser_hash = $3
RETURNING interaction_id
;
-- pippin_app 25 25 17
DELETE FROM passkeys
WHERE team_id = $1 AND sub = $2 AND sha256(credential_id) = $3
;
-- pippin_app 25 25 17
DELETE FROM sessions
WHERE team_id = $1 AND sub = $2 AND token_hash IS DISTINCT FROM $3
;
-- pippin_app 25 25 17
SELECT FROM users WHERE team_id = $1 AND sub = (SELECT sub FROM mailed_links WHERE team_id = $2 AND token_hash = $3) FOR NO KEY UPDATE
;
-- pippin_app 25 25 17
SELECT name FROM passkeys
WHERE team_id = $1 AND sub = $2 AND sha256(credential_id) = $3
;
-- pippin_app 25 25 17 1184
DELETE FROM interactions WHERE team_id = $1 AND time_partition = 0 AND interaction_id = $2
    AND browser_hash = $3 AND created_at > $4 AND entered_at IS NULL AND NOT (
    first_factor IS NULL OR EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = interactions.team_id AND person.sub = interactions.sub
            AND person.suspended_at IS NULL
            AND person.credentials_version = interactions.credentials_version
    ) AND (first_factor IN ('password', 'passkey', 'mailed_link') OR EXISTS (
        SELECT FROM upstream_identities AS known
        WHERE known.team_id = interactions.team_id AND known.sub = interactions.sub
            AND known.provider = interactions.first_factor AND known.state = 'authorized'
    ))
)
;
-- pippin_app 25 25 17 1184
INSERT INTO recovery_codes (team_id, sub, code_hash, created_at)
VALUES ($1, $2, $3, $4)
;
-- pippin_app 25 25 17 1184
INSERT INTO signing_keys (team_id, kid, private_key_sealed, active_from)
VALUES ($1, $2, $3, $4)
;
-- pippin_app 25 25 17 1184
SELECT interaction_id, client_id, app_id, redirect_uri, response_type, response_mode, wants_name, wants_email, state,
nonce, code_challenge, test_sign_in_id, login_hint, next_path, language, sub, login, first_factor,
first_factor_at, second_factor_due, second_factor, second_factor_at, entered_at, requires_reauthentication,
created_at
FROM interactions
WHERE team_id = $1 AND time_partition = 0 AND interaction_id = $2
    AND browser_hash = $3 AND created_at > $4
;
-- pippin_app 25 25 17 1184
SELECT interaction_id, client_id, app_id, redirect_uri, response_type, response_mode, wants_name, wants_email, state,
nonce, code_challenge, test_sign_in_id, login_hint, next_path, language, sub, login, first_factor,
first_factor_at, second_factor_due, second_factor, second_factor_at, entered_at, requires_reauthentication,
created_at
FROM interactions
WHERE team_id = $1 AND time_partition = 1 AND interaction_id = $2
    AND browser_hash = $3 AND created_at > $4
;
-- pippin_app 25 25 17 1184
SELECT interaction_id, client_id, app_id, redirect_uri, response_type, response_mode, wants_name, wants_email, state,
nonce, code_challenge, test_sign_in_id, login_hint, next_path, language, sub, login, first_factor,
first_factor_at, second_factor_due, second_factor, second_factor_at, entered_at, requires_reauthentication,
created_at
FROM interactions
WHERE team_id = $1 AND time_partition = 2 AND interaction_id = $2
    AND browser_hash = $3 AND created_at > $4
;
-- pippin_app 25 25 17 1184
UPDATE interactions SET requires_reauthentication = true WHERE team_id = $1 AND time_partition = 0 AND interaction_id = $2
    AND browser_hash = $3 AND created_at > $4
;
-- pippin_app 25 25 17 1184 25 25
SELECT FROM interactions
WHERE team_id = $1 AND time_partition = 0 AND interaction_id = $2
    AND browser_hash = $3 AND created_at > $4 AND sub = $5 AND second_factor_due = $6
    AND second_factor IS NULL AND entered_at IS NULL AND (
    first_factor IS NULL OR EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = interactions.team_id AND person.sub = interactions.sub
            AND person.suspended_at IS NULL
            AND person.credentials_version = interactions.credentials_version
    ) AND (first_factor IN ('password', 'passkey', 'mailed_link') OR EXISTS (
        SELECT FROM upstream_identities AS known
        WHERE known.team_id = interactions.team_id AND known.sub = interactions.sub
            AND known.provider = interactions.first_factor AND known.state = 'authorized'
    ))
)
;
-- pippin_app 25 25 17 20 1184
INSERT INTO totp_secrets (team_id, sub, secret_sealed, last_step, confirmed_at)
VALUES ($1, $2, $3, $4, $5)
;
-- pippin_app 25 25 17 25 1184 1184 1184
DELETE FROM sessions
WHERE team_id = $1 AND sub = $2 AND token_hash IS DISTINCT FROM $3 AND first_factor = $4
    AND ($5 IS NULL OR created_at <= $6 OR created_at > $7)
;
-- pippin_app 25 25 17 25 25
WITH made AS (
    INSERT INTO passkey_handles (team_id, sub, handle)
    VALUES ($1, $2, $3)
    ON CONFLICT (team_id, sub) DO NOTHING
    RETURNING handle
)
SELECT handle FROM made
UNION ALL
SELECT handle FROM passkey_handles WHERE team_id = $4 AND sub = $5
LIMIT 1
;
-- pippin_app 25 25 17 25 25 1184
INSERT INTO upstream_notifications (team_id, provider, notification_hash, app_id, events, received_at)
VALUES (
    $1, $2, $3, $4,
    $5::jsonb, $6
)
ON CONFLICT DO NOTHING
;
-- pippin_app 25 25 17 25 25 17 20 20 25 25 1184 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 17 25 1184 1184 1184 25 25 25 25 1184
WITH given AS (
    SELECT '' AS sub WHERE false
), taken AS (
    SELECT FROM given WHERE sub = $1
), ended AS (
    DELETE FROM sessions
    WHERE team_id = $2 AND token_hash = $3 AND EXISTS (SELECT FROM taken)
), excess AS MATERIALIZED (
    SELECT token_hash FROM (
        SELECT token_hash, created_at FROM sessions
        WHERE team_id = $4 AND sub = $5 AND token_hash IS DISTINCT FROM $6
        LIMIT $7
    ) AS part
    ORDER BY created_at DESC, token_hash
    OFFSET $8
), held AS MATERIALIZED (
    SELECT token_hash FROM excess JOIN sessions USING (token_hash)
    WHERE team_id = $9
    FOR UPDATE OF sessions SKIP LOCKED
), outnumbered AS (
    DELETE FROM sessions USING held
    WHERE sessions.team_id = $10 AND sessions.token_hash = held.token_hash
        AND EXISTS (SELECT FROM taken)
), person AS (
    UPDATE users SET last_sign_in_at = $11
    WHERE team_id = $12 AND sub = $13 AND EXISTS (SELECT FROM taken)
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $14, clock_timestamp(), $15, $16, $17, $18,
    $19, $20, NULLIF($21, ''), NULLIF($22, ''),
    NULLIF($23, ''), $24::jsonb, $25::jsonb,
    $26, $27
FROM taken
)
INSERT INTO sessions
    (team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent, first_factor,
    second_factor, proved_at)
SELECT $28, $29, $30, $31, $32, $33, $34,
    $35, $36, $37, $38
FROM taken
RETURNING sub
;
-- pippin_app 25 25 17 25 25 25 1184 1184
INSERT INTO invitations AS i (
    team_id, invitation_id, token_hash, email, role, invited_by, created_at, expires_at
) VALUES (
    $1, $2, $3, $4, $5, $6, $7,
    $8
)
ON CONFLICT (team_id, lower(email)) DO UPDATE SET
    token_hash = excluded.token_hash, email = excluded.email, role = excluded.role,
    invited_by = excluded.invited_by, created_at = excluded.created_at,
    expires_at = excluded.expires_at
RETURNING invitation_id, email, role, invited_by, created_at, expires_at
;
-- pippin_app 25 25 17 25 25 25 17 25 1184 20 25 20 17 25 25 16 16 16 1184 25 1184 25 1184 25 25 1184
WITH ended AS (
    DELETE FROM interactions
    WHERE team_id = $1 AND time_partition = 0 AND interaction_id = $2
        AND browser_hash = $3
        AND EXISTS (
            SELECT FROM consents
            WHERE team_id = $4 AND consents.sub = $5
                AND consents.app_id = interactions.app_id
        ) AND EXISTS (SELECT FROM sessions AS held
JOIN users AS holder ON holder.team_id = held.team_id AND holder.sub = held.sub
WHERE held.team_id = $6 AND held.token_hash = $7
    AND held.sub = $8 AND held.expires_at > $9 
    AND holder.suspended_at IS NULL
    AND holder.credentials_version = $10)
    RETURNING client_id, app_id, redirect_uri, nonce, code_challenge, test_sign_in_id
), issued AS (
    INSERT INTO authorization_codes (
        team_id, time_partition, code_hash, client_id, app_id, sub, redirect_uri, nonce, code_challenge, email,
        is_email_verified, is_private_email, delivers_user, test_sign_in_id, authenticated_at, provider,
        expires_at, trace_id
    )
    SELECT $11, $12, $13, client_id, app_id, $14,
        nullif(redirect_uri, ''), nonce, code_challenge, $15,
        $16, $17, $18,
        test_sign_in_id, $19, $20, $21, $22
    FROM ended
    RETURNING code_hash
), noted AS (
    UPDATE users SET last_sign_in_at = $23
    WHERE team_id = $24 AND sub = $25 AND EXISTS (SELECT FROM issued)
        AND (last_sign_in_at IS NULL OR last_sign_in_at < $26)
)
SELECT code_hash FROM issued
;
-- pippin_app 25 25 17 25 25 25 17 25 1184 20 25 20 17 25 25 16 16 16 1184 25 1184 25 1184 25 25 1184
WITH ended AS (
    DELETE FROM interactions
    WHERE team_id = $1 AND time_partition = 1 AND interaction_id = $2
        AND browser_hash = $3
        AND EXISTS (
            SELECT FROM consents
            WHERE team_id = $4 AND consents.sub = $5
                AND consents.app_id = interactions.app_id
        ) AND EXISTS (SELECT FROM sessions AS held
JOIN users AS holder ON holder.team_id = held.team_id AND holder.sub = held.sub
WHERE held.team_id = $6 AND held.token_hash = $7
    AND held.sub = $8 AND held.expires_at > $9 
    AND holder.suspended_at IS NULL
    AND holder.credentials_version = $10)
    RETURNING client_id, app_id, redirect_uri, nonce, code_challenge, test_sign_in_id
), issued AS (
    INSERT INTO authorization_codes (
        team_id, time_partition, code_hash, client_id, app_id, sub, redirect_uri, nonce, code_challenge, email,
        is_email_verified, is_private_email, delivers_user, test_sign_in_id, authenticated_at, provider,
        expires_at, trace_id
    )
    SELECT $11, $12, $13, client_id, app_id, $14,
        nullif(redirect_uri, ''), nonce, code_challenge, $15,
        $16, $17, $18,
        test_sign_in_id, $19, $20, $21, $22
    FROM ended
    RETURNING code_hash
), noted AS (
    UPDATE users SET last_sign_in_at = $23
    WHERE team_id = $24 AND sub = $25 AND EXISTS (SELECT FROM issued)
        AND (last_sign_in_at IS NULL OR last_sign_in_at < $26)
)
SELECT code_hash FROM issued
;
-- pippin_app 25 25 17 25 25 25 17 25 1184 20 25 20 17 25 25 16 16 16 1184 25 1184 25 1184 25 25 1184
WITH ended AS (
    DELETE FROM interactions
    WHERE team_id = $1 AND time_partition = 2 AND interaction_id = $2
        AND browser_hash = $3
        AND EXISTS (
            SELECT FROM consents
            WHERE team_id = $4 AND consents.sub = $5
                AND consents.app_id = interactions.app_id
        ) AND EXISTS (SELECT FROM sessions AS held
JOIN users AS holder ON holder.team_id = held.team_id AND holder.sub = held.sub
WHERE held.team_id = $6 AND held.token_hash = $7
    AND held.sub = $8 AND held.expires_at > $9 
    AND holder.suspended_at IS NULL
    AND holder.credentials_version = $10)
    RETURNING client_id, app_id, redirect_uri, nonce, code_challenge, test_sign_in_id
), issued AS (
    INSERT INTO authorization_codes (
        team_id, time_partition, code_hash, client_id, app_id, sub, redirect_uri, nonce, code_challenge, email,
        is_email_verified, is_private_email, delivers_user, test_sign_in_id, authenticated_at, provider,
        expires_at, trace_id
    )
    SELECT $11, $12, $13, client_id, app_id, $14,
        nullif(redirect_uri, ''), nonce, code_challenge, $15,
        $16, $17, $18,
        test_sign_in_id, $19, $20, $21, $22
    FROM ended
    RETURNING code_hash
), noted AS (
    UPDATE users SET last_sign_in_at = $23
    WHERE team_id = $24 AND sub = $25 AND EXISTS (SELECT FROM issued)
        AND (last_sign_in_at IS NULL OR last_sign_in_at < $26)
)
SELECT code_hash FROM issued
;
-- pippin_app 25 25 17 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 25 25 25 25 25 25 25 20
WITH tokens AS (
    UPDATE refresh_tokens SET revoked_at = clock_timestamp() WHERE team_id = $1 AND sub = $2 AND token_id = $3 AND true AND revoked_at IS NULL
    RETURNING token_id, sub, app_id, test_sign_in_id, provider, authenticated_at
), ended AS (SELECT DISTINCT sub FROM tokens  ), audit AS (INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $4, clock_timestamp(), $5, $6, $7, $8,
    $9, $10, NULLIF($11, ''), NULLIF($12, ''),
    NULLIF($13, ''), $14::jsonb, $15::jsonb,
    $16, $17
FROM ended), upstream_ended AS (
    UPDATE upstream_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
    WHERE team_id = $18 AND sub = $19 AND state = 'live' AND app_id IN (SELECT app_id FROM tokens WHERE test_sign_in_id IS NULL)
    AND NOT EXISTS (
        SELECT FROM refresh_tokens AS other
        WHERE other.team_id = $20 AND other.sub = $21 AND other.app_id = upstream_tokens.app_id
            AND other.test_sign_in_id IS NULL AND other.revoked_at IS NULL
            AND other.token_id NOT IN (SELECT token_id FROM tokens)
    )
    AND NOT EXISTS (
        SELECT FROM authorization_codes AS code
        WHERE code.team_id = $22 AND code.sub = $23 AND code.app_id = upstream_tokens.app_id
            AND code.test_sign_in_id IS NULL AND code.redeemed_at IS NULL AND code.expires_at > clock_timestamp()
    )
    RETURNING token_id
), upstream_jobs AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
SELECT $24, pippin_job_id(), $25, $26, payload, clock_timestamp()
FROM (SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM upstream_ended) AS wanted (payload)
) SELECT (SELECT count(*) FROM tokens) FROM ended
;
-- pippin_app 25 25 17 25 25 25 25 25 25 25 25 25 25 25 25 20 17 25 25 16 16 16 1184 25 1184 25 1184 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH ended AS (
    DELETE FROM interactions
    WHERE team_id = $1 AND time_partition = 0 AND interaction_id = $2
        AND browser_hash = $3
        AND EXISTS (
            SELECT FROM consents
            WHERE team_id = $4 AND consents.sub = $5
                AND consents.app_id = interactions.app_id
        ) AND EXISTS (SELECT FROM upstream_identities AS standing
WHERE standing.team_id = $6 AND standing.provider = $7
    AND standing.identifier = $8 AND standing.sub = $9
    AND standing.state = 'authorized' AND EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = $10 AND person.sub = $11 AND person.suspended_at IS NULL
    ) AND EXISTS (
    SELECT FROM consents AS given
    WHERE given.team_id = $12 AND given.sub = $13 AND given.app_id = $14
))
    RETURNING client_id, app_id, redirect_uri, nonce, code_challenge, test_sign_in_id
), issued AS (
    INSERT INTO authorization_codes (
        team_id, time_partition, code_hash, client_id, app_id, sub, redirect_uri, nonce, code_challenge, email,
        is_email_verified, is_private_email, delivers_user, test_sign_in_id, authenticated_at, provider,
        expires_at, trace_id
    )
    SELECT $15, $16, $17, client_id, app_id, $18,
        nullif(redirect_uri, ''), nonce, code_challenge, $19,
        $20, $21, $22,
        test_sign_in_id, $23, $24, $25, $26
    FROM ended
    RETURNING code_hash
), noted AS (
    UPDATE users SET last_sign_in_at = $27
    WHERE team_id = $28 AND sub = $29 AND EXISTS (SELECT FROM issued)
), completion AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $30, clock_timestamp(), $31, $32, $33, $34,
    $35, $36, NULLIF($37, ''), NULLIF($38, ''),
    NULLIF($39, ''), $40::jsonb, $41::jsonb,
    $42, $43
FROM issued
)
SELECT code_hash FROM issued
;
-- pippin_app 25 25 20
SELECT c.app_id, c.shares_name, c.shares_email, c.hides_email, c.given_name, c.family_name, c.granted_at,
c.delivered_at, c.forwards_mail, c.provider, c.upstream_email, c.is_upstream_email_verified,
c.is_upstream_email_private, a.description
FROM consents c JOIN app_ids a ON a.team_id = c.team_id AND a.identifier = c.app_id
WHERE c.team_id = $1 AND c.sub = $2
ORDER BY c.granted_at DESC, c.app_id
LIMIT $3
;
-- pippin_app 25 25 20
SELECT count(*) FROM (SELECT FROM invitations WHERE team_id = $1 AND lower(email) <> lower($2) LIMIT $3) AS known
;
-- pippin_app 25 25 20
SELECT count(*) FROM (SELECT FROM passkeys WHERE team_id = $1 AND sub = $2 LIMIT $3) AS known
;
-- pippin_app 25 25 20
SELECT count(*) FROM (SELECT FROM return_urls WHERE team_id = $1 AND service_id <> $2 LIMIT $3) AS known
;
-- pippin_app 25 25 20
SELECT count(*) FROM (SELECT FROM service_domains WHERE team_id = $1 AND service_id <> $2 LIMIT $3) AS known
;
-- pippin_app 25 25 20
SELECT encode(token_id, 'hex'), client_id, app_id, created_at, last_used_at, revoked_at
FROM refresh_tokens
WHERE team_id = $1 AND sub = $2 AND test_sign_in_id IS NULL AND revoked_at IS NULL
ORDER BY created_at DESC, token_id
LIMIT $3
;
-- pippin_app 25 25 20
SELECT encode(token_id, 'hex'), sub,
EXISTS (SELECT FROM users WHERE users.team_id = upstream_tokens.team_id AND users.sub = upstream_tokens.sub),
app_id, client_id, state, problem, problem_at, created_at, validated_at,
settled_at FROM upstream_tokens
WHERE team_id = $1 AND sub = $2
ORDER BY created_at DESC, token_id
LIMIT $3
;
-- pippin_app 25 25 20
SELECT sub, role, created_at FROM (
    SELECT sub, role, created_at FROM memberships
    WHERE team_id = $1
    ORDER BY role <> $2, created_at, sub
    LIMIT $3
) AS shown
ORDER BY created_at, sub
;
-- pippin_app 25 25 20
SELECT total.count, page.key_id IS NOT NULL, page.*
FROM (SELECT count(*) FROM keys AS k WHERE k.team_id = $1 ) AS total
LEFT JOIN (
    SELECT k.key_id, k.name, k.app_id, k.public_key_pem, k.fingerprint, k.private_key_sealed IS NOT NULL,
k.downloaded_at, k.created_at, k.revoked_at, u.last_used_at FROM keys AS k LEFT JOIN key_uses AS u ON u.team_id = k.team_id AND u.key_id = k.key_id
    WHERE k.team_id = $2  
    ORDER BY k.created_at DESC, k.key_id DESC
    LIMIT $3
) AS page ON true
ORDER BY page.created_at DESC, page.key_id DESC
;
-- pippin_app 25 25 20
UPDATE domains AS d SET check_due_at = now() + interval '10 minutes'
WHERE d.team_id = $1 AND d.domain IN (
    SELECT q.domain FROM domains AS q
    WHERE q.team_id = $2 AND q.check_due_at <= now()
    ORDER BY q.check_due_at LIMIT $3
    FOR UPDATE SKIP LOCKED
)
RETURNING d.domain, d.token, d.is_verified, d.failed_since, d.checked_at, d.finding, d.status, d.detail,
ARRAY(
    SELECT s.service_id FROM service_domains AS s
    WHERE s.team_id = d.team_id AND s.domain = d.domain ORDER BY s.service_id
),
(SELECT t.mode = 'sandbox' FROM teams AS t WHERE t.team_id = d.team_id),
CASE WHEN d.domain ~ '^(.*\.)?localhost$|^127\.[0-9.]+$|^\[::1\]$' THEN (
    SELECT u.url FROM return_urls AS u
    JOIN service_domains AS s ON s.team_id = u.team_id AND s.service_id = u.service_id
    WHERE s.team_id = d.team_id AND s.domain = d.domain AND (
        starts_with(u.url, 'http://' || d.domain || ':') OR starts_with(u.url, 'http://' || d.domain || '/')
    )
    ORDER BY u.service_id, u.rank LIMIT 1
) END
;
-- pippin_app 25 25 20
UPDATE email_sources AS e SET check_due_at = now() + interval '10 minutes'
WHERE e.team_id = $1 AND e.source IN (
    SELECT q.source FROM email_sources AS q
    WHERE q.team_id = $2 AND q.check_due_at <= now()
    ORDER BY q.check_due_at LIMIT $3
    FOR UPDATE SKIP LOCKED
)
RETURNING e.kind, e.source, e.dkim_selectors, e.version, e.created_at, e.checked_at, (
    SELECT coalesce(
        jsonb_agg(
            jsonb_build_object(
                'kind', record -> 'kind', 'name', record -> 'name', 'state', record -> 'state', 'seen', '[]'::jsonb
            )
        ),
        '[]'
    )::text
    FROM jsonb_array_elements(e.records) AS record
)
;
-- pippin_app 25 25 20 20 25 25
WITH excess AS MATERIALIZED (
    SELECT token_id FROM (
    SELECT token_id, test_sign_in_id,
        row_number() OVER (ORDER BY revoked_at IS NOT NULL, last_used_at DESC, token_id) AS place,
        row_number() OVER (
            PARTITION BY app_id, test_sign_in_id IS NULL
            ORDER BY revoked_at DESC NULLS FIRST,
                CASE WHEN revoked_at IS NULL THEN last_used_at END DESC, token_id DESC
        ) AS place_in_group
    FROM (
        SELECT token_id, app_id, test_sign_in_id, last_used_at, revoked_at FROM refresh_tokens
        WHERE team_id = $1 AND sub = $2
        LIMIT $3
    ) AS part
) AS part
WHERE place > $4 AND (place_in_group > 1 OR test_sign_in_id IS NOT NULL)
), held AS MATERIALIZED (
    SELECT token_id FROM excess JOIN refresh_tokens USING (token_id)
    WHERE team_id = $5
    FOR UPDATE OF refresh_tokens SKIP LOCKED
)
DELETE FROM refresh_tokens AS token USING held
WHERE token.team_id = $6 AND token.token_id = held.token_id
;
-- pippin_app 25 25 20 25 25 20
WITH upstream_ended AS (
    UPDATE upstream_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
    WHERE team_id = $1 AND token_id IN (
    SELECT token_id FROM upstream_tokens WHERE team_id = $2 AND state = 'live'
    LIMIT $3 FOR UPDATE SKIP LOCKED
)
    RETURNING token_id
), upstream_jobs AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
SELECT $4, pippin_job_id(), $5, $6, payload, clock_timestamp()
FROM (SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM upstream_ended) AS wanted (payload)
) SELECT FROM upstream_ended
;
-- pippin_app 25 25 20 25 25 20 25
SELECT (
    SELECT count(*) FROM (
        SELECT FROM notifications WHERE team_id = $1  AND sub = $2
        ORDER BY created_at DESC, notification_id LIMIT $3
    ) AS counted
), page.notification_id IS NOT NULL, page.notification_id, page.type, page.sub, page.app_id, page.state, page.attempts, page.is_test,
page.created_at, page.settled_at, job.attempts, job.worker IS NOT NULL, job.due_at
FROM (VALUES (1)) AS one (row) LEFT JOIN (
    SELECT notification_id, type, sub, app_id, state, attempts, is_test, created_at, settled_at, job_id FROM notifications
    WHERE team_id = $4  AND sub = $5 
    ORDER BY created_at DESC, notification_id
    LIMIT $6
) AS page ON true LEFT JOIN jobs AS job ON job.team_id = $7 AND job.job_id = page.job_id
    AND job.state = 'pending' AND page.state = 'pending'
ORDER BY page.created_at DESC, page.notification_id
;
-- pippin_app 25 25 20 25 25 25
INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
SELECT $1, pippin_job_id(), $2, $3, payload, clock_timestamp()
FROM (SELECT jsonb_build_object('person', $4, 'last', max(trace_id)) FROM traces
WHERE team_id = $5 AND sub = $6 HAVING max(trace_id) IS NOT NULL) AS wanted (payload)
;
-- pippin_app 25 25 20 25 25 25
WITH page AS MATERIALIZED (
    SELECT a.identifier, a.description, a.is_enabled, a.primary_identifier, a.notification_url, a.issuer,
a.version, a.created_at FROM app_ids AS a
    WHERE a.team_id = $1 AND a.identifier > $2
    ORDER BY a.identifier
    LIMIT $3
), services AS MATERIALIZED (
    SELECT app_id, count(*) FROM service_ids
    WHERE team_id = $4 AND app_id = ANY (ARRAY (SELECT identifier FROM page))
    GROUP BY app_id
), active AS MATERIALIZED (
    SELECT app_id, count(*) FROM keys
    WHERE team_id = $5 AND rank IS NOT NULL AND app_id = ANY (ARRAY (SELECT identifier FROM page))
    GROUP BY app_id
)
SELECT total.count, page.identifier IS NOT NULL, coalesce(services.count, 0), coalesce(active.count, 0),
    page.*
FROM (SELECT count(*) FROM app_ids AS a WHERE a.team_id = $6) AS total
LEFT JOIN page ON true
LEFT JOIN services ON services.app_id = page.identifier
LEFT JOIN active ON active.app_id = page.identifier
ORDER BY page.identifier
;
-- pippin_app 25 25 20 25 25 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM traces f WHERE f.team_id = $1 AND f.trace_id >= $2 AND NOT f.is_test ORDER BY f.trace_id DESC LIMIT $3
    ) AS counted
), f.trace_id, f.client_id, f.sub, f.outcome, f.cause, f.reference, f.is_test, coalesce((
    SELECT true FROM trace_events s
    WHERE s.team_id = $4 AND s.trace_id = f.trace_id AND s.kind = 'code_redeemed'
    LIMIT 1
), false)
FROM traces f
WHERE f.team_id = $5 AND f.trace_id >= $6 AND NOT f.is_test 
ORDER BY f.trace_id DESC
LIMIT $7
;
-- pippin_app 25 25 20 25 25 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM traces f WHERE f.team_id = $1 AND f.trace_id >= $2 ORDER BY f.trace_id DESC LIMIT $3
    ) AS counted
), f.trace_id, f.client_id, f.sub, f.outcome, f.cause, f.reference, f.is_test, coalesce((
    SELECT true FROM trace_events s
    WHERE s.team_id = $4 AND s.trace_id = f.trace_id AND s.kind = 'code_redeemed'
    LIMIT 1
), false)
FROM traces f
WHERE f.team_id = $5 AND f.trace_id >= $6 
ORDER BY f.trace_id DESC
LIMIT $7
;
-- pippin_app 25 25 20 25 25 25 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM traces f WHERE f.team_id = $1 AND f.trace_id >= $2 ORDER BY f.trace_id DESC LIMIT $3
    ) AS counted
), f.trace_id, f.client_id, f.sub, f.outcome, f.cause, f.reference, f.is_test, coalesce((
    SELECT true FROM trace_events s
    WHERE s.team_id = $4 AND s.trace_id = f.trace_id AND s.kind = 'code_redeemed'
    LIMIT 1
), false)
FROM traces f
WHERE f.team_id = $5 AND f.trace_id >= $6 AND f.trace_id < $7
ORDER BY f.trace_id DESC
LIMIT $8
;
-- pippin_app 25 25 20 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH changed AS (UPDATE jobs
SET state = 'cancelled', worker = NULL, payload = '{}', finished_at = clock_timestamp(),
    keep_until = clock_timestamp() + interval '7 days'
WHERE team_id = $1 AND job_id = $2 AND state IN ('pending', 'dead')
    AND priority <> $3
RETURNING job_id), audit AS (INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $4, clock_timestamp(), $5, $6, $7, $8,
    $9, $10, NULLIF($11, ''), NULLIF($12, ''),
    NULLIF($13, ''), $14::jsonb, $15::jsonb,
    $16, $17
FROM changed)
SELECT job_id FROM changed
;
-- pippin_app 25 25 25
DELETE FROM authorization_codes WHERE team_id = $1 AND sub = $2 AND app_id = $3 AND redeemed_at IS NULL
;
-- pippin_app 25 25 25
DELETE FROM authorization_codes WHERE team_id = $1 AND sub = $2 AND provider = $3 AND redeemed_at IS NULL
;
-- pippin_app 25 25 25
DELETE FROM login_names WHERE team_id = $1 AND sub = $2 AND login = $3
;
-- pippin_app 25 25 25
DELETE FROM upstream_identities WHERE team_id = $1 AND sub = $2 AND provider = $3
;
-- pippin_app 25 25 25
INSERT INTO client_identifiers (team_id, identifier, kind)
VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING
;
-- pippin_app 25 25 25
INSERT INTO memberships (team_id, sub, role) VALUES ($1, $2, $3)
ON CONFLICT (team_id, sub) DO NOTHING
;
-- pippin_app 25 25 25
INSERT INTO passwords (team_id, sub, hash) VALUES ($1, $2, $3)
ON CONFLICT (team_id, sub) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at
;
-- pippin_app 25 25 25
SELECT EXISTS (
    SELECT FROM upstream_identities
    WHERE team_id = $1 AND provider = $2 AND sub = $3 AND linked_at IS NOT NULL
)
;
-- pippin_app 25 25 25
SELECT FROM login_names
WHERE team_id = $1 AND login = $2 AND sub IS DISTINCT FROM $3
;
-- pippin_app 25 25 25
SELECT app_id FROM apple_connections
WHERE team_id = $1 AND services_id = $2 AND app_id <> $3
ORDER BY app_id LIMIT 1
;
-- pippin_app 25 25 25
SELECT app_id FROM consents WHERE team_id = $1 AND sub = $2 AND provider = $3 ORDER BY app_id
;
-- pippin_app 25 25 25
SELECT c.app_id, c.shares_name, c.shares_email, c.hides_email, c.given_name, c.family_name, c.granted_at,
c.delivered_at, c.forwards_mail, c.provider, c.upstream_email, c.is_upstream_email_verified,
c.is_upstream_email_private FROM consents c
WHERE c.team_id = $1 AND c.sub = $2 AND c.app_id = $3
;
-- pippin_app 25 25 25
SELECT count(*) FROM (
    SELECT FROM audit_events e WHERE e.team_id = $1   
 AND e.target = $2 AND e.target_kind = $3     ORDER BY e.at DESC, e.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 25 25
SELECT d.domain, d.token, d.is_verified, d.failed_since, d.checked_at, d.finding, d.status, d.detail,
ARRAY(
    SELECT s.service_id FROM service_domains AS s
    WHERE s.team_id = d.team_id AND s.domain = d.domain ORDER BY s.service_id
),
(SELECT t.mode = 'sandbox' FROM teams AS t WHERE t.team_id = d.team_id),
CASE WHEN d.domain ~ '^(.*\.)?localhost$|^127\.[0-9.]+$|^\[::1\]$' THEN (
    SELECT u.url FROM return_urls AS u
    JOIN service_domains AS s ON s.team_id = u.team_id AND s.service_id = u.service_id
    WHERE s.team_id = d.team_id AND s.domain = d.domain AND (
        starts_with(u.url, 'http://' || d.domain || ':') OR starts_with(u.url, 'http://' || d.domain || '/')
    )
    ORDER BY u.service_id, u.rank LIMIT 1
) END FROM domains AS d
WHERE d.team_id = $1 AND d.domain IN (
    SELECT s.domain FROM service_domains AS s
    WHERE s.team_id = $2 AND s.service_id = $3
)
ORDER BY d.domain
;
-- pippin_app 25 25 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM audit_events e WHERE e.team_id = $1   
 AND e.target = $2 AND e.target_kind = $3    
ORDER BY e.at DESC, e.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 25 25
SELECT forwards_mail FROM consents
WHERE team_id = $1 AND sub = $2 AND app_id = $3 AND hides_email
;
-- pippin_app 25 25 25
SELECT page.notification_id, page.type, page.sub, page.app_id, page.state, page.attempts, page.is_test,
page.created_at, page.settled_at, job.attempts, job.worker IS NOT NULL, job.due_at
FROM (
    SELECT notification_id, type, sub, app_id, state, attempts, is_test, created_at, settled_at, job_id FROM notifications WHERE team_id = $1 AND notification_id = $2
) AS page LEFT JOIN jobs AS job ON job.team_id = $3 AND job.job_id = page.job_id
    AND job.state = 'pending' AND page.state = 'pending'
;
-- pippin_app 25 25 25
SELECT receipt_id FROM deletion_receipts
WHERE team_id = $1 AND sub = $2 AND app_id = $3
ORDER BY created_at DESC
LIMIT 1
;
-- pippin_app 25 25 25
SELECT sub FROM upstream_identities
WHERE team_id = $1 AND provider = $2 AND identifier = $3
;
-- pippin_app 25 25 25
SELECT sub FROM upstream_identities i
WHERE team_id = $1 AND provider = $2 AND identifier = $3
;
-- pippin_app 25 25 25
SELECT u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version, c.app_id IS NOT NULL, c.app_id, c.shares_name, c.shares_email, c.hides_email, c.given_name, c.family_name, c.granted_at,
c.delivered_at, c.forwards_mail, c.provider, c.upstream_email, c.is_upstream_email_verified,
c.is_upstream_email_private
FROM users u
LEFT JOIN consents c ON c.team_id = u.team_id AND c.sub = u.sub AND c.app_id = $1
WHERE u.team_id = $2 AND u.sub = $3
;
-- pippin_app 25 25 25
UPDATE email_sources AS e
SET records = $1::jsonb, checked_at = now(), check_due_at = now() + interval '1 day'
WHERE e.team_id = $2 AND e.source = $3
RETURNING e.kind, e.source, e.dkim_selectors, e.version, e.created_at, e.checked_at, e.records::text
;
-- pippin_app 25 25 25
UPDATE memberships SET role = $1 WHERE team_id = $2 AND sub = $3
;
-- pippin_app 25 25 25
UPDATE users SET email = $1, is_email_verified = true, is_private_email = false
WHERE team_id = $2 AND sub = $3
;
-- pippin_app 25 25 25
UPDATE users SET is_email_verified = true
WHERE team_id = $1 AND sub = $2 AND email = $3
;
-- pippin_app 25 25 25
UPDATE users u SET relay_address = COALESCE(relay_address, $1)
WHERE team_id = $2 AND sub = $3
RETURNING u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version
;
-- pippin_app 25 25 25
WITH tokens AS (
    UPDATE refresh_tokens SET revoked_at = clock_timestamp() WHERE team_id = $1 AND sub = $2 AND provider = $3  AND revoked_at IS NULL
    RETURNING token_id, sub, app_id, test_sign_in_id, provider, authenticated_at
), ended AS (SELECT DISTINCT sub FROM tokens  ) SELECT (SELECT count(*) FROM tokens) FROM ended
;
-- pippin_app 25 25 25 1009 20 25
INSERT INTO email_sources (team_id, source, kind, rank, dkim_selectors)
SELECT $1, $2, $3, rank, $4
FROM (
    SELECT min(rank) AS rank
    FROM (SELECT generate_series(1, $5) AS rank EXCEPT SELECT rank FROM email_sources WHERE team_id = $6) AS candidates
    HAVING min(rank) IS NOT NULL
) AS free
ON CONFLICT (team_id, source) DO NOTHING
;
-- pippin_app 25 25 25 1009 25 25
INSERT INTO teams (team_id, name, mode, identity_sources, second_factor, apple_keys)
VALUES (
    $1, $2, $3, $4,
    $5, $6
)
ON CONFLICT (team_id) DO NOTHING
;
-- pippin_app 25 25 25 1184
SELECT 1 WHERE NOT EXISTS (
    SELECT FROM upstream_identities
    WHERE team_id = $1 AND provider = $2 AND identifier = $3
        AND state = 'revoked' AND state_at > $4
)
;
-- pippin_app 25 25 25 1184
SELECT FROM users WHERE team_id = $1 AND sub IN (
    SELECT p.sub FROM transferred_people p WHERE p.team_id = $2 AND p.transfer_sub = $3 AND p.expires_at > $4
) ORDER BY sub FOR NO KEY UPDATE
;
-- pippin_app 25 25 25 1184
SELECT p.app_id, u.sub, p.sub IS NOT NULL AND u.sub IS NULL, p.shares_email, p.hides_email,
    p.given_name, p.family_name, p.email, p.is_email_verified
FROM transferred_people p LEFT JOIN users u ON u.team_id = $1 AND u.sub = p.sub
WHERE p.team_id = $2 AND p.transfer_sub = $3 AND p.expires_at > $4 AND (p.sub IS NOT NULL OR pippin_team_is_open(p.from_team))
ORDER BY p.app_id
;
-- pippin_app 25 25 25 1184
SELECT transfer_sub FROM transferred_people
WHERE team_id = $1 AND sub = $2 AND app_id = $3 AND expires_at > $4
;
-- pippin_app 25 25 25 1184 1184
DELETE FROM interactions
WHERE team_id = $1 AND sub = $2 AND first_factor = $3 AND entered_at IS NULL
    AND ($4 IS NULL OR first_factor_at <= $5)
;
-- pippin_app 25 25 25 1184 1184 25
SELECT e.at, e.event_id, (
    SELECT true FROM audit_seals s
    WHERE s.team_id = $1 AND s.at = e.at AND s.event_id = e.event_id LIMIT 1
) IS NULL AND (
    SELECT true FROM audit_unsealed u
    WHERE u.team_id = $2 AND u.at = e.at AND u.event_id = e.event_id LIMIT 1
) IS NULL
FROM audit_events e
WHERE e.team_id = $3 AND e.at >= $4 AND (e.at, e.event_id) > ($5, $6)
ORDER BY e.at, e.event_id
LIMIT 1000
;
-- pippin_app 25 25 25 1184 25 20 25 25 17 1184 25 25 20
UPDATE interactions
SET sub = $1, login = $2, first_factor = $3,
    first_factor_at = $4, second_factor_due = $5,
    second_factor = NULL, second_factor_at = NULL, entered_at = NULL, credentials_version = $6
WHERE team_id = $7 AND time_partition = 0 AND interaction_id = $8
    AND browser_hash = $9 AND created_at > $10 AND EXISTS (
    SELECT FROM users
    WHERE team_id = $11 AND sub = $12 AND suspended_at IS NULL
        AND credentials_version = $13
)
;
-- pippin_app 25 25 25 1184 25 20 25 25 17 1184 25 25 20
UPDATE interactions
SET sub = $1, login = $2, first_factor = $3,
    first_factor_at = $4, second_factor_due = $5,
    second_factor = NULL, second_factor_at = NULL, entered_at = NULL, credentials_version = $6
WHERE team_id = $7 AND time_partition = 1 AND interaction_id = $8
    AND browser_hash = $9 AND created_at > $10 AND EXISTS (
    SELECT FROM users
    WHERE team_id = $11 AND sub = $12 AND suspended_at IS NULL
        AND credentials_version = $13
)
;
-- pippin_app 25 25 25 1184 25 20 25 25 17 1184 25 25 20
UPDATE interactions
SET sub = $1, login = $2, first_factor = $3,
    first_factor_at = $4, second_factor_due = $5,
    second_factor = NULL, second_factor_at = NULL, entered_at = NULL, credentials_version = $6
WHERE team_id = $7 AND time_partition = 2 AND interaction_id = $8
    AND browser_hash = $9 AND created_at > $10 AND EXISTS (
    SELECT FROM users
    WHERE team_id = $11 AND sub = $12 AND suspended_at IS NULL
        AND credentials_version = $13
)
;
-- pippin_app 25 25 25 1184 25 25 25 25
INSERT INTO upstream_unlinks AS known (team_id, provider, identifier_hash, app_id, reported_at)
SELECT $1, $2, hash, $3, $4
FROM (
    SELECT sha256(convert_to($5, 'UTF8')) AS hash
    UNION
    SELECT sha256(convert_to('transfer ' || transfer_sub, 'UTF8')) FROM upstream_identities
    WHERE team_id = $6 AND provider = $7 AND identifier = $8
        AND transfer_sub IS NOT NULL
) AS names ORDER BY hash
ON CONFLICT (team_id, provider, identifier_hash, app_id) DO UPDATE
    SET reported_at = greatest(known.reported_at, excluded.reported_at), recorded_at = excluded.recorded_at
;
-- pippin_app 25 25 25 16
SELECT consents.app_id
FROM consents
JOIN app_ids ON app_ids.team_id = $1 AND app_ids.identifier = consents.app_id
WHERE consents.team_id = $2 AND consents.sub = $3
    AND app_ids.notification_url IS NOT NULL AND (consents.hides_email OR NOT $4)
ORDER BY consents.app_id
;
-- pippin_app 25 25 25 16 16 16 25 25 1184 25
INSERT INTO consents AS c (
    team_id, sub, app_id, shares_name, shares_email, hides_email, given_name, family_name,
    granted_at, ip
) VALUES (
    $1, $2, $3, $4, $5,
    $6, $7, $8, $9, $10
)
ON CONFLICT (team_id, sub, app_id) DO NOTHING
RETURNING c.app_id, c.shares_name, c.shares_email, c.hides_email, c.given_name, c.family_name, c.granted_at,
c.delivered_at, c.forwards_mail, c.provider, c.upstream_email, c.is_upstream_email_verified,
c.is_upstream_email_private
;
-- pippin_app 25 25 25 16 25 25
UPDATE service_ids
SET description = $1, issuer = $2, booleans = $3,
    requires_pkce = $4, version = version + 1
WHERE team_id = $5 AND identifier = $6
;
-- pippin_app 25 25 25 16 25 25 25
INSERT INTO app_ids AS a (
    team_id, identifier, description, is_enabled, primary_identifier, notification_url, issuer
) VALUES (
    $1, $2, $3, $4, $5,
    $6, $7
)
RETURNING a.identifier, a.description, a.is_enabled, a.primary_identifier, a.notification_url, a.issuer,
a.version, a.created_at
;
-- pippin_app 25 25 25 17
SELECT tokens.sub, tokens.client_id, tokens.authenticated_at, tokens.created_at,
    consents.shares_name, consents.given_name, consents.family_name,
    CASE WHEN NOT consents.shares_email THEN NULL
    WHEN consents.provider IS NOT NULL THEN consents.upstream_email
    WHEN consents.hides_email THEN users.relay_address ELSE users.email END,
CASE WHEN consents.provider IS NULL THEN users.is_email_verified
    ELSE consents.is_upstream_email_verified END,
CASE WHEN consents.provider IS NULL THEN consents.hides_email OR users.is_private_email
    ELSE consents.is_upstream_email_private END
FROM refresh_tokens AS tokens
JOIN users ON users.team_id = $1 AND users.sub = tokens.sub
JOIN consents ON consents.team_id = $2 AND consents.sub = tokens.sub
    AND consents.app_id = tokens.app_id
WHERE tokens.team_id = $3 AND tokens.token_id = $4
    AND tokens.revoked_at IS NULL AND users.suspended_at IS NULL
    AND true
;
-- pippin_app 25 25 25 17
UPDATE passkeys SET name = $1
WHERE team_id = $2 AND sub = $3 AND sha256(credential_id) = $4
;
-- pippin_app 25 25 25 17 17
DELETE FROM mailed_links
WHERE team_id = $1 AND sub = $2 AND purpose = $3
    AND ($4::bytea IS NULL OR browser_hash = $5)
;
-- pippin_app 25 25 25 17 25 25 17 20 20 25 25 1184 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 17 25 1184 1184 1184 25 25 25 25 1184
WITH given AS (
    SELECT $1::text AS sub
), taken AS (
    SELECT FROM given WHERE sub = $2
), ended AS (
    DELETE FROM sessions
    WHERE team_id = $3 AND token_hash = $4 AND EXISTS (SELECT FROM taken)
), excess AS MATERIALIZED (
    SELECT token_hash FROM (
        SELECT token_hash, created_at FROM sessions
        WHERE team_id = $5 AND sub = $6 AND token_hash IS DISTINCT FROM $7
        LIMIT $8
    ) AS part
    ORDER BY created_at DESC, token_hash
    OFFSET $9
), held AS MATERIALIZED (
    SELECT token_hash FROM excess JOIN sessions USING (token_hash)
    WHERE team_id = $10
    FOR UPDATE OF sessions SKIP LOCKED
), outnumbered AS (
    DELETE FROM sessions USING held
    WHERE sessions.team_id = $11 AND sessions.token_hash = held.token_hash
        AND EXISTS (SELECT FROM taken)
), person AS (
    UPDATE users SET last_sign_in_at = $12
    WHERE team_id = $13 AND sub = $14 AND EXISTS (SELECT FROM taken)
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $15, clock_timestamp(), $16, $17, $18, $19,
    $20, $21, NULLIF($22, ''), NULLIF($23, ''),
    NULLIF($24, ''), $25::jsonb, $26::jsonb,
    $27, $28
FROM taken
)
INSERT INTO sessions
    (team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent, first_factor,
    second_factor, proved_at)
SELECT $29, $30, $31, $32, $33, $34, $35,
    $36, $37, $38, $39
FROM taken
RETURNING sub
;
-- pippin_app 25 25 25 17 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH logo AS (
    INSERT INTO team_logos (team_id, digest, media_type, octets)
    VALUES ($1, $2, $3, $4)
    ON CONFLICT (team_id) DO UPDATE SET
        digest = excluded.digest, media_type = excluded.media_type, octets = excluded.octets
    RETURNING team_id
), audit AS (INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $5, clock_timestamp(), $6, $7, $8, $9,
    $10, $11, NULLIF($12, ''), NULLIF($13, ''),
    NULLIF($14, ''), $15::jsonb, $16::jsonb,
    $17, $18
FROM logo)
SELECT FROM logo
;
-- pippin_app 25 25 25 20
DELETE FROM keys WHERE team_id = $1 AND key_id IN (
    SELECT key_id FROM keys
    WHERE team_id = $2 AND app_id = $3 AND rank IS NULL
    ORDER BY revoked_at DESC, key_id OFFSET $4 LIMIT 1000
)
;
-- pippin_app 25 25 25 20
DELETE FROM refresh_tokens WHERE team_id = $1 AND token_id IN (
    SELECT token_id FROM refresh_tokens WHERE team_id = $2 AND sub = $3 LIMIT $4
)
;
-- pippin_app 25 25 25 20
DELETE FROM sessions WHERE team_id = $1 AND token_hash IN (
    SELECT token_hash FROM sessions WHERE team_id = $2 AND sub = $3 LIMIT $4
)
;
-- pippin_app 25 25 25 20
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after FROM audit_events e
WHERE e.team_id = $1 AND e.target = $2 AND e.target_kind = $3
ORDER BY e.at DESC, e.event_id DESC
LIMIT $4) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 25 25 20
SELECT payload::text FROM jobs WHERE team_id = $1 AND job_id = $2 AND state = 'pending' AND worker = $3
AND attempts = $4
;
-- pippin_app 25 25 25 20 20 25 25
SELECT f.trace_id, f.client_id, f.sub, f.outcome, f.cause, f.reference, f.is_test, coalesce((
    SELECT true FROM trace_events s
    WHERE s.team_id = $1 AND s.trace_id = f.trace_id AND s.kind = 'code_redeemed'
    LIMIT 1
), false), f.opening, ARRAY (
    SELECT event FROM (
        SELECT s.event, s.at, s.kind,
            sum(octet_length(s.event)) OVER (ORDER BY s.at, s.kind ROWS UNBOUNDED PRECEDING) AS octets
        FROM trace_events s
        WHERE s.team_id = $2 AND s.trace_id = $3
        ORDER BY s.at, s.kind LIMIT $4
    ) AS told
    WHERE octets <= $5 ORDER BY at, kind
)
FROM traces f
WHERE f.team_id = $6 AND f.trace_id = $7
;
-- pippin_app 25 25 25 20 25 20
INSERT INTO jobs AS known (team_id, job_id, kind, priority, payload, idempotency_key, every_seconds, due_at)
VALUES (
    $1, $2, $3, $4, '{}', $5,
    $6, now()
)
ON CONFLICT (team_id, kind, idempotency_key) WHERE idempotency_key IS NOT NULL DO UPDATE
SET every_seconds = excluded.every_seconds,
    due_at = LEAST(known.due_at, now() + excluded.every_seconds * interval '1 second')
WHERE known.every_seconds <> excluded.every_seconds
;
-- pippin_app 25 25 25 20 25 25 20
INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotency_key, due_at)
SELECT $1, $2, $3, $4, $5::jsonb, $6,
    clock_timestamp() + $7 * interval '1 microsecond'

ON CONFLICT DO NOTHING
;
-- pippin_app 25 25 25 20 25 25 20
INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotency_key, due_at)
SELECT $1, $2, $3, $4, $5::jsonb, $6,
    clock_timestamp() + $7 * interval '1 microsecond'
WHERE false
ON CONFLICT DO NOTHING
;
-- pippin_app 25 25 25 20 25 25 20
INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotency_key, due_at)
SELECT $1, $2, $3, $4, $5::jsonb, $6,
    clock_timestamp() + $7 * interval '1 microsecond'
WHERE true
ON CONFLICT DO NOTHING
;
-- pippin_app 25 25 25 20 25 25 25 1184 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM mailbox WHERE team_id = $1 AND recipient_key >= lower($2) AND recipient_key < lower($3) || chr(1114111)
        ORDER BY at DESC, mail_id DESC LIMIT $4
    ) AS counted
), page.mail_id IS NOT NULL, mail_id, at, of_team, message, recipient, subject
FROM (VALUES (1)) AS one (row) LEFT JOIN (
    SELECT mail_id, at, of_team, message, recipient, subject FROM mailbox
    WHERE team_id = $5 AND recipient_key >= lower($6) AND recipient_key < lower($7) || chr(1114111) AND (at, mail_id) < ($8, $9)
    ORDER BY at DESC, mail_id DESC LIMIT $10
) AS page ON true
ORDER BY at DESC, mail_id DESC
;
-- pippin_app 25 25 25 20 25 25 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM mailbox WHERE team_id = $1 AND recipient_key >= lower($2) AND recipient_key < lower($3) || chr(1114111)
        ORDER BY at DESC, mail_id DESC LIMIT $4
    ) AS counted
), page.mail_id IS NOT NULL, mail_id, at, of_team, message, recipient, subject
FROM (VALUES (1)) AS one (row) LEFT JOIN (
    SELECT mail_id, at, of_team, message, recipient, subject FROM mailbox
    WHERE team_id = $5 AND recipient_key >= lower($6) AND recipient_key < lower($7) || chr(1114111) 
    ORDER BY at DESC, mail_id DESC LIMIT $8
) AS page ON true
ORDER BY at DESC, mail_id DESC
;
-- pippin_app 25 25 25 20 25 25 25 20 25
SELECT (
    SELECT count(*) FROM (
        SELECT FROM notifications WHERE team_id = $1  AND state = $2 AND type = $3
        ORDER BY created_at DESC, notification_id LIMIT $4
    ) AS counted
), page.notification_id IS NOT NULL, page.notification_id, page.type, page.sub, page.app_id, page.state, page.attempts, page.is_test,
page.created_at, page.settled_at, job.attempts, job.worker IS NOT NULL, job.due_at
FROM (VALUES (1)) AS one (row) LEFT JOIN (
    SELECT notification_id, type, sub, app_id, state, attempts, is_test, created_at, settled_at, job_id FROM notifications
    WHERE team_id = $5  AND state = $6 AND type = $7 
    ORDER BY created_at DESC, notification_id
    LIMIT $8
) AS page ON true LEFT JOIN jobs AS job ON job.team_id = $9 AND job.job_id = page.job_id
    AND job.state = 'pending' AND page.state = 'pending'
ORDER BY page.created_at DESC, page.notification_id
;
-- pippin_app 25 25 25 20 25 25 25 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM traces f WHERE f.team_id = $1 AND f.trace_id >= $2 AND f.cause = $3 ORDER BY f.trace_id DESC LIMIT $4
    ) AS counted
), f.trace_id, f.client_id, f.sub, f.outcome, f.cause, f.reference, f.is_test, coalesce((
    SELECT true FROM trace_events s
    WHERE s.team_id = $5 AND s.trace_id = f.trace_id AND s.kind = 'code_redeemed'
    LIMIT 1
), false)
FROM traces f
WHERE f.team_id = $6 AND f.trace_id >= $7 AND f.cause = $8 
ORDER BY f.trace_id DESC
LIMIT $9
;
-- pippin_app 25 25 25 20 25 25 25 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM traces f WHERE f.team_id = $1 AND f.trace_id >= $2 AND f.client_id = $3 ORDER BY f.trace_id DESC LIMIT $4
    ) AS counted
), f.trace_id, f.client_id, f.sub, f.outcome, f.cause, f.reference, f.is_test, coalesce((
    SELECT true FROM trace_events s
    WHERE s.team_id = $5 AND s.trace_id = f.trace_id AND s.kind = 'code_redeemed'
    LIMIT 1
), false)
FROM traces f
WHERE f.team_id = $6 AND f.trace_id >= $7 AND f.client_id = $8 
ORDER BY f.trace_id DESC
LIMIT $9
;
-- pippin_app 25 25 25 20 25 25 25 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM traces f WHERE f.team_id = $1 AND f.trace_id >= $2 AND f.outcome = $3 AND NOT f.is_test ORDER BY f.trace_id DESC LIMIT $4
    ) AS counted
), f.trace_id, f.client_id, f.sub, f.outcome, f.cause, f.reference, f.is_test, coalesce((
    SELECT true FROM trace_events s
    WHERE s.team_id = $5 AND s.trace_id = f.trace_id AND s.kind = 'code_redeemed'
    LIMIT 1
), false)
FROM traces f
WHERE f.team_id = $6 AND f.trace_id >= $7 AND f.outcome = $8 AND NOT f.is_test 
ORDER BY f.trace_id DESC
LIMIT $9
;
-- pippin_app 25 25 25 20 25 25 25 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM traces f WHERE f.team_id = $1 AND f.trace_id >= $2 AND f.outcome = $3 ORDER BY f.trace_id DESC LIMIT $4
    ) AS counted
), f.trace_id, f.client_id, f.sub, f.outcome, f.cause, f.reference, f.is_test, coalesce((
    SELECT true FROM trace_events s
    WHERE s.team_id = $5 AND s.trace_id = f.trace_id AND s.kind = 'code_redeemed'
    LIMIT 1
), false)
FROM traces f
WHERE f.team_id = $6 AND f.trace_id >= $7 AND f.outcome = $8 
ORDER BY f.trace_id DESC
LIMIT $9
;
-- pippin_app 25 25 25 20 25 25 25 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM traces f WHERE f.team_id = $1 AND f.trace_id >= $2 AND f.sub = $3 ORDER BY f.trace_id DESC LIMIT $4
    ) AS counted
), f.trace_id, f.client_id, f.sub, f.outcome, f.cause, f.reference, f.is_test, coalesce((
    SELECT true FROM trace_events s
    WHERE s.team_id = $5 AND s.trace_id = f.trace_id AND s.kind = 'code_redeemed'
    LIMIT 1
), false)
FROM traces f
WHERE f.team_id = $6 AND f.trace_id >= $7 AND f.sub = $8 
ORDER BY f.trace_id DESC
LIMIT $9
;
-- pippin_app 25 25 25 20 25 25 25 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM traces f WHERE f.team_id = $1 AND f.trace_id >= $2 AND f.trace_id < $3 ORDER BY f.trace_id DESC LIMIT $4
    ) AS counted
), f.trace_id, f.client_id, f.sub, f.outcome, f.cause, f.reference, f.is_test, coalesce((
    SELECT true FROM trace_events s
    WHERE s.team_id = $5 AND s.trace_id = f.trace_id AND s.kind = 'code_redeemed'
    LIMIT 1
), false)
FROM traces f
WHERE f.team_id = $6 AND f.trace_id >= $7 AND f.trace_id < $8 
ORDER BY f.trace_id DESC
LIMIT $9
;
-- pippin_app 25 25 25 20 25 25 25 25 25
WITH page AS MATERIALIZED (
    SELECT a.identifier, a.description, a.is_enabled, a.primary_identifier, a.notification_url, a.issuer,
a.version, a.created_at FROM app_ids AS a
    WHERE a.team_id = $1 AND (
    starts_with(lower(a.identifier), $2) OR starts_with(lower(a.description), $3)
) 
    ORDER BY a.identifier
    LIMIT $4
), services AS MATERIALIZED (
    SELECT app_id, count(*) FROM service_ids
    WHERE team_id = $5 AND app_id = ANY (ARRAY (SELECT identifier FROM page))
    GROUP BY app_id
), active AS MATERIALIZED (
    SELECT app_id, count(*) FROM keys
    WHERE team_id = $6 AND rank IS NOT NULL AND app_id = ANY (ARRAY (SELECT identifier FROM page))
    GROUP BY app_id
)
SELECT total.count, page.identifier IS NOT NULL, coalesce(services.count, 0), coalesce(active.count, 0),
    page.*
FROM (SELECT count(*) FROM app_ids AS a WHERE a.team_id = $7 AND (
    starts_with(lower(a.identifier), $8) OR starts_with(lower(a.description), $9)
)) AS total
LEFT JOIN page ON true
LEFT JOIN services ON services.app_id = page.identifier
LEFT JOIN active ON active.app_id = page.identifier
ORDER BY page.identifier
;
-- pippin_app 25 25 25 25
(SELECT trace_id FROM traces WHERE team_id = $1 AND trace_id = $2)
UNION ALL
(
    SELECT trace_id FROM traces WHERE team_id = $3 AND reference = $4
    ORDER BY trace_id DESC LIMIT 1
)
LIMIT 1
;
-- pippin_app 25 25 25 25
DELETE FROM authorization_codes WHERE team_id = $1 AND sub = $2 AND app_id = $3 AND provider = $4 AND redeemed_at IS NULL
;
-- pippin_app 25 25 25 25
DELETE FROM authorization_codes WHERE team_id = $1 AND sub = $2 AND app_id = $3 AND test_sign_in_id IS NOT DISTINCT FROM $4 AND redeemed_at IS NULL
;
-- pippin_app 25 25 25 25
INSERT INTO apple_connections AS c (team_id, app_id, services_id, key_id)
VALUES ($1, $2, $3, $4)
ON CONFLICT (team_id, app_id) DO UPDATE
SET services_id = excluded.services_id, key_id = excluded.key_id, version = c.version + 1
;
-- pippin_app 25 25 25 25
INSERT INTO deletion_receipts (team_id, receipt_id, sub, app_id)
VALUES ($1, $2, $3, $4)
;
-- pippin_app 25 25 25 25
SELECT DISTINCT p.sub FROM audit_people p
WHERE p.team_id = $1 AND (
    p.email_key = lower($2)
    OR p.name_key >= lower($3) AND p.name_key < lower($4) || chr(1114111)
)
LIMIT 20
;
-- pippin_app 25 25 25 25
SELECT FROM totp_secrets WHERE team_id = $1 AND sub = $2
UNION ALL
SELECT FROM passkeys WHERE team_id = $3 AND sub = $4
;
-- pippin_app 25 25 25 25
SELECT FROM users WHERE team_id = $1 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $2 AND provider = $3 AND identifier = $4) FOR NO KEY UPDATE
;
-- pippin_app 25 25 25 25
SELECT app_id FROM consents WHERE team_id = $1 AND sub = $2
UNION
SELECT app_id FROM refresh_tokens
WHERE team_id = $3 AND sub = $4 AND revoked_at IS NULL
ORDER BY app_id
;
-- pippin_app 25 25 25 25
SELECT count(*) FROM (
    SELECT FROM (SELECT a.at, a.event_id FROM audit_words a
WHERE a.team_id = $1 AND a.word = $2
  ) AS w JOIN LATERAL (
    SELECT * FROM audit_events e
    WHERE e.team_id = $3 AND e.at = w.at AND e.event_id = w.event_id
    OFFSET 0
) AS e ON true WHERE e.team_id = $4   
      ORDER BY w.at DESC, w.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 25 25 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM (SELECT a.at, a.event_id FROM audit_words a
WHERE a.team_id = $1 AND a.word = $2
  ) AS w JOIN LATERAL (
    SELECT * FROM audit_events e
    WHERE e.team_id = $3 AND e.at = w.at AND e.event_id = w.event_id
    OFFSET 0
) AS e ON true WHERE e.team_id = $4   
     
ORDER BY w.at DESC, w.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 25 25 25
SELECT sub, role FROM memberships
WHERE team_id = $1 AND (role = $2 OR sub IN ($3, $4))
ORDER BY sub FOR UPDATE
;
-- pippin_app 25 25 25 25
UPDATE apple_keys AS k
SET name = $1, apple_team_id = $2, version = k.version + 1
WHERE k.team_id = $3 AND k.key_id = $4
RETURNING k.key_id, k.apple_team_id, k.name, k.app_id, k.fingerprint, k.version, k.created_at
;
-- pippin_app 25 25 25 25
UPDATE passwords SET hash = $1
WHERE team_id = $2 AND sub = $3 AND hash = $4
;
-- pippin_app 25 25 25 25
WITH held AS (
    SELECT private_key_sealed AS sealed FROM keys
    WHERE team_id = $1 AND key_id = $2 AND private_key_sealed IS NOT NULL
    FOR UPDATE
)
UPDATE keys SET private_key_sealed = NULL, downloaded_at = now()
FROM held
WHERE team_id = $3 AND key_id = $4
RETURNING held.sealed
;
-- pippin_app 25 25 25 25 1184
SELECT FROM app_transfers WHERE team_id = $1 AND app_id = $2 AND state = 'offered'
UNION ALL
SELECT FROM app_transfers
WHERE team_id = $3 AND app_id = $4 AND state = 'accepted'
    AND settled_at > $5
;
-- pippin_app 25 25 25 25 1184
SELECT token_id FROM upstream_tokens
WHERE team_id = $1 AND sub = $2 AND app_id = $3
    AND provider = $4 AND state = 'live'
ORDER BY (upstream_tokens.created_at <= $5, upstream_tokens.created_at, upstream_tokens.token_id) DESC LIMIT 1
;
-- pippin_app 25 25 25 25 1184 1184
DELETE FROM upstream_announcements
WHERE team_id = $1 AND sub = $2 AND ($3 IS NULL OR app_id = $4)
    AND ($5 IS NULL OR announced_at <= $6)
;
-- pippin_app 25 25 25 25 1184 1184 1009
SELECT token_id, provider, sub, identifier, app_id, client_id, token_sealed FROM upstream_tokens
WHERE team_id = $1 AND sub = $2 AND ($3 IS NULL OR app_id = $4)
    AND state <> 'revoked' AND (created_at < $5 OR created_at >= $6)
    AND (identifier IS NULL OR identifier = ANY ($7))
ORDER BY token_id FOR UPDATE
;
-- pippin_app 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25 25 25 25 25 1184 25 25 25 25 25 25 25 25
SELECT NOT NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $1 AND unlink.provider = $2
        AND unlink.identifier_hash IN (sha256(convert_to($3, 'UTF8'))) AND unlink.app_id IN ('', $4)
        AND (unlink.unlinked_at > $5 OR unlink.reported_at > $6)
), EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $7 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $8 AND provider = $9
    AND (identifier = $10
        OR transfer_sub = $11 AND last_seen_at > $12) ORDER BY created_at LIMIT 1),
    $13
) AND held.suspended_at IS NOT NULL
), NOT (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $14 AND provider = $15
    AND (identifier = $16
        OR transfer_sub = $17 AND last_seen_at > $18))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $19 AND own.sub = $20)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $21 AND host.registration = 'open')
), (
    NOT EXISTS (SELECT FROM upstream_identities WHERE team_id = $22 AND provider = $23
    AND (identifier = $24
        OR transfer_sub = $25 AND last_seen_at > $26))
    AND NOT EXISTS (
        SELECT FROM upstream_identities
        WHERE team_id = $27 AND sub = $28 AND linked_at IS NULL
    )
    AND EXISTS (
        SELECT FROM login_names WHERE team_id = $29 AND sub = $30
        UNION ALL
        SELECT FROM passwords WHERE team_id = $31 AND sub = $32
        UNION ALL
        SELECT FROM passkeys WHERE team_id = $33 AND sub = $34
    )
)
;
-- pippin_app 25 25 25 25 1184 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25 25 25 25 25 1184 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH added AS (
    INSERT INTO users (team_id, sub, given_name, family_name, created_at)
SELECT $1, $2, $3, $4, $5
WHERE NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $6 AND unlink.provider = $7
        AND unlink.identifier_hash IN (sha256(convert_to($8, 'UTF8'))) AND unlink.app_id IN ('', $9)
        AND (unlink.unlinked_at > $10 OR unlink.reported_at > $11)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $12 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $13 AND provider = $14
    AND (identifier = $15
        OR transfer_sub = $16 AND last_seen_at > $17) ORDER BY created_at LIMIT 1),
    $18
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $19 AND provider = $20
    AND (identifier = $21
        OR transfer_sub = $22 AND last_seen_at > $23))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $24 AND own.sub = $25)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $26 AND host.registration = 'open')
) AND NOT EXISTS (SELECT FROM upstream_identities WHERE team_id = $27 AND provider = $28
    AND (identifier = $29
        OR transfer_sub = $30 AND last_seen_at > $31))
ON CONFLICT DO NOTHING
RETURNING sub
)
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $32, clock_timestamp(), $33, $34, $35, $36,
    $37, $38, NULLIF($39, ''), NULLIF($40, ''),
    NULLIF($41, ''), $42::jsonb, $43::jsonb,
    $44, $45
FROM added
;
-- pippin_app 25 25 25 25 1184 25 25 25 25 25 1184 1184 1184 25 25 25 25 1184 25 25 25 25 1184 25 25 25 1184 25 25 25 25
SELECT (SELECT max(created_at) FROM upstream_tokens
WHERE team_id = $1 AND sub = $2 AND app_id = $3 AND provider = $4
    AND created_at <= $5 AND state = 'live'), arrival.at,
    EXISTS (
        SELECT FROM upstream_tokens
        WHERE team_id = $6 AND app_id = $7 AND provider = $8
            AND (sub = $9 OR identifier = $10)
            AND revocation_asked_at BETWEEN $11 AND $12
            AND (arrival.at IS NULL OR arrival.at <= revocation_asked_at OR arrival.at > $13)
    )
FROM (SELECT greatest(
    (SELECT max(created_at) FROM upstream_tokens
WHERE team_id = $14 AND sub = $15 AND app_id = $16 AND provider = $17
    AND created_at <= $18),
    (
        SELECT max(last_login_at) FROM upstream_identities
        WHERE team_id = $19 AND sub = $20 AND provider = $21 AND last_login_app_id = $22
            AND last_login_at <= $23
    ),
    (
        SELECT granted_at FROM consents
        WHERE team_id = $24 AND sub = $25 AND app_id = $26 AND granted_at <= $27
            AND (
                consents.provider = $28 OR NOT EXISTS (
                    SELECT FROM upstream_identities AS own
                    WHERE own.team_id = $29 AND own.sub = $30 AND own.provider = $31
                        AND own.linked_at IS NOT NULL
                )
            )
    )
)) AS arrival (at)
;
-- pippin_app 25 25 25 25 1184 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25 25 25 25 25 1184 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH added AS (
    INSERT INTO users (team_id, sub, given_name, family_name, created_at)
SELECT $1, $2, $3, $4, $5
WHERE NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $6 AND unlink.provider = $7
        AND unlink.identifier_hash IN (sha256(convert_to($8, 'UTF8')), sha256(convert_to('transfer ' || $9, 'UTF8'))) AND unlink.app_id IN ('', $10)
        AND (unlink.unlinked_at > $11 OR unlink.reported_at > $12)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $13 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $14 AND provider = $15
    AND (identifier = $16
        OR transfer_sub = $17 AND last_seen_at > $18) ORDER BY created_at LIMIT 1),
    $19
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $20 AND provider = $21
    AND (identifier = $22
        OR transfer_sub = $23 AND last_seen_at > $24))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $25 AND own.sub = $26)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $27 AND host.registration = 'open')
) AND NOT EXISTS (SELECT FROM upstream_identities WHERE team_id = $28 AND provider = $29
    AND (identifier = $30
        OR transfer_sub = $31 AND last_seen_at > $32))
ON CONFLICT DO NOTHING
RETURNING sub
)
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $33, clock_timestamp(), $34, $35, $36, $37,
    $38, $39, NULLIF($40, ''), NULLIF($41, ''),
    NULLIF($42, ''), $43::jsonb, $44::jsonb,
    $45, $46
FROM added
;
-- pippin_app 25 25 25 25 1184 25 25 25 25 25 25 25 25 25 25 1184 1184
SELECT
    (
        SELECT sub FROM upstream_identities
        WHERE team_id = $1 AND provider = $2
            AND (identifier = $3
                OR transfer_sub = $4 AND last_seen_at > $5)
        ORDER BY created_at LIMIT 1
    ),
    EXISTS (
        SELECT FROM users
        WHERE team_id = $6 AND sub = $7 AND sub <> $8
    ),
    EXISTS (
        SELECT FROM upstream_identities
        WHERE team_id = $9 AND provider = $10 AND sub = $11
    ), NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $12 AND unlink.provider = $13
        AND unlink.identifier_hash IN (sha256(convert_to($14, 'UTF8'))) AND unlink.app_id IN ('', $15)
        AND (unlink.unlinked_at > $16 OR unlink.reported_at > $17)
)
;
-- pippin_app 25 25 25 25 16 25 25 25 25 25 25 20 25 25 20
WITH notification AS (
    INSERT INTO notifications (team_id, notification_id, app_id, type, sub, event_time, is_test, job_id)
    SELECT $1, $2, identifier, $3, $4, clock_timestamp(), $5, $6
    FROM app_ids
    WHERE team_id = $7 AND identifier = $8 AND notification_url IS NOT NULL
        AND EXISTS (SELECT )
    RETURNING notification_id
), notification_job AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotency_key, due_at)
SELECT $9, $10, $11, $12, $13::jsonb, $14,
    clock_timestamp() + $15 * interval '1 microsecond'
FROM notification
ON CONFLICT DO NOTHING
) SELECT notification_id FROM notification
;
-- pippin_app 25 25 25 25 16 25 25 25 25 25 25 20 25 25 20 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH notification AS (
    INSERT INTO notifications (team_id, notification_id, app_id, type, sub, event_time, is_test, job_id)
    SELECT $1, $2, identifier, $3, $4, clock_timestamp(), $5, $6
    FROM app_ids
    WHERE team_id = $7 AND identifier = $8 AND notification_url IS NOT NULL
        AND EXISTS (SELECT )
    RETURNING notification_id
), notification_job AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotency_key, due_at)
SELECT $9, $10, $11, $12, $13::jsonb, $14,
    clock_timestamp() + $15 * interval '1 microsecond'
FROM notification
ON CONFLICT DO NOTHING
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $16, clock_timestamp(), $17, $18, $19, $20,
    $21, $22, NULLIF($23, ''), NULLIF($24, ''),
    NULLIF($25, ''), $26::jsonb, $27::jsonb,
    $28, $29
FROM notification
)
SELECT notification_id FROM notification
;
-- pippin_app 25 25 25 25 17
SELECT 1 FROM refresh_tokens WHERE team_id = $1 AND sub = $2 AND app_id = $3 AND test_sign_in_id IS NOT DISTINCT FROM $4 AND token_id = $5 AND true AND revoked_at IS NULL LIMIT 1
;
-- pippin_app 25 25 25 25 17
UPDATE upstream_tokens SET sub = coalesce((SELECT sub FROM upstream_identities
WHERE team_id = $1 AND provider = $2 AND identifier = $3), sub)
WHERE team_id = $4 AND token_id = $5
;
-- pippin_app 25 25 25 25 20
SELECT total.count, page.key_id IS NOT NULL, page.*
FROM (SELECT count(*) FROM keys AS k WHERE k.team_id = $1 AND k.app_id = $2) AS total
LEFT JOIN (
    SELECT k.key_id, k.name, k.app_id, k.public_key_pem, k.fingerprint, k.private_key_sealed IS NOT NULL,
k.downloaded_at, k.created_at, k.revoked_at, u.last_used_at FROM keys AS k LEFT JOIN key_uses AS u ON u.team_id = k.team_id AND u.key_id = k.key_id
    WHERE k.team_id = $3 AND k.app_id = $4 
    ORDER BY k.created_at DESC, k.key_id DESC
    LIMIT $5
) AS page ON true
ORDER BY page.created_at DESC, page.key_id DESC
;
-- pippin_app 25 25 25 25 20
SELECT trace_id FROM traces
WHERE team_id = $1 AND sub = $2 AND ($3 IS NULL OR trace_id <= $4)
ORDER BY trace_id LIMIT $5
;
-- pippin_app 25 25 25 25 20 25 20
SELECT trace_id, (jsonb_build_object(
    'id', trace_id, 'clientID', client_id, 'outcome', outcome, 'cause', cause,
    'steps', jsonb_build_array(opening) || steps
))::text
FROM (
    SELECT trace_id, client_id, outcome, cause, opening::jsonb AS opening FROM traces
    WHERE team_id = $1 AND sub = $2 AND ($3 IS NULL OR trace_id < $4)
    ORDER BY trace_id DESC LIMIT $5
) AS trace CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_agg(event::jsonb ORDER BY at), '[]') AS steps
    FROM (
        SELECT at, event FROM trace_events
        WHERE trace_events.team_id = $6 AND trace_events.trace_id = trace.trace_id
        ORDER BY at, kind LIMIT $7
    ) AS kept
) AS taken
ORDER BY trace_id DESC
;
-- pippin_app 25 25 25 25 20 25 25 25
SELECT
    (SELECT count(*) FROM app_ids WHERE team_id = $1),
    (SELECT count(*) FROM service_ids WHERE team_id = $2),
    (SELECT count(*) FROM keys WHERE team_id = $3 AND rank IS NOT NULL),
    (SELECT count(*) FROM (
        SELECT FROM users WHERE team_id = $4 LIMIT $5
    ) AS counted),
    EXISTS (SELECT FROM return_urls WHERE team_id = $6),
    -- A test sign-in is one too, though no app redeems its code.
    EXISTS (SELECT FROM redeeming_clients WHERE team_id = $7)
        OR EXISTS (
            SELECT FROM audit_events WHERE team_id = $8 AND action = 'sign_in.completed'
        )
;
-- pippin_app 25 25 25 25 20 25 25 25 25 25
WITH page AS MATERIALIZED (
    SELECT a.identifier, a.description, a.is_enabled, a.primary_identifier, a.notification_url, a.issuer,
a.version, a.created_at FROM app_ids AS a
    WHERE a.team_id = $1 AND (
    starts_with(lower(a.identifier), $2) OR starts_with(lower(a.description), $3)
) AND a.identifier > $4
    ORDER BY a.identifier
    LIMIT $5
), services AS MATERIALIZED (
    SELECT app_id, count(*) FROM service_ids
    WHERE team_id = $6 AND app_id = ANY (ARRAY (SELECT identifier FROM page))
    GROUP BY app_id
), active AS MATERIALIZED (
    SELECT app_id, count(*) FROM keys
    WHERE team_id = $7 AND rank IS NOT NULL AND app_id = ANY (ARRAY (SELECT identifier FROM page))
    GROUP BY app_id
)
SELECT total.count, page.identifier IS NOT NULL, coalesce(services.count, 0), coalesce(active.count, 0),
    page.*
FROM (SELECT count(*) FROM app_ids AS a WHERE a.team_id = $8 AND (
    starts_with(lower(a.identifier), $9) OR starts_with(lower(a.description), $10)
)) AS total
LEFT JOIN page ON true
LEFT JOIN services ON services.app_id = page.identifier
LEFT JOIN active ON active.app_id = page.identifier
ORDER BY page.identifier
;
-- pippin_app 25 25 25 25 20 25 25 25 25 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM traces f WHERE f.team_id = $1 AND f.trace_id >= $2 AND f.client_id = $3 AND f.cause = $4 ORDER BY f.trace_id DESC LIMIT $5
    ) AS counted
), f.trace_id, f.client_id, f.sub, f.outcome, f.cause, f.reference, f.is_test, coalesce((
    SELECT true FROM trace_events s
    WHERE s.team_id = $6 AND s.trace_id = f.trace_id AND s.kind = 'code_redeemed'
    LIMIT 1
), false)
FROM traces f
WHERE f.team_id = $7 AND f.trace_id >= $8 AND f.client_id = $9 AND f.cause = $10 
ORDER BY f.trace_id DESC
LIMIT $11
;
-- pippin_app 25 25 25 25 20 25 25 25 25 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM traces f WHERE f.team_id = $1 AND f.trace_id >= $2 AND f.client_id = $3 AND f.outcome = $4 ORDER BY f.trace_id DESC LIMIT $5
    ) AS counted
), f.trace_id, f.client_id, f.sub, f.outcome, f.cause, f.reference, f.is_test, coalesce((
    SELECT true FROM trace_events s
    WHERE s.team_id = $6 AND s.trace_id = f.trace_id AND s.kind = 'code_redeemed'
    LIMIT 1
), false)
FROM traces f
WHERE f.team_id = $7 AND f.trace_id >= $8 AND f.client_id = $9 AND f.outcome = $10 
ORDER BY f.trace_id DESC
LIMIT $11
;
-- pippin_app 25 25 25 25 25 1184 1184
INSERT INTO apple_publications (team_id, document, known, approved, seen, seen_at, differs_since)
VALUES (
    $1, $2, $3::jsonb,
    $4::jsonb, $5::jsonb, $6,
    $7
)
ON CONFLICT (team_id, document) DO UPDATE
SET known = excluded.known, approved = excluded.approved, seen = excluded.seen,
    seen_at = excluded.seen_at, differs_since = excluded.differs_since
;
-- pippin_app 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25 25 25 25 25 1184 25 25 25 25 25 25 25 25
SELECT NOT NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $1 AND unlink.provider = $2
        AND unlink.identifier_hash IN (sha256(convert_to($3, 'UTF8')), sha256(convert_to('transfer ' || $4, 'UTF8'))) AND unlink.app_id IN ('', $5)
        AND (unlink.unlinked_at > $6 OR unlink.reported_at > $7)
), EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $8 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $9 AND provider = $10
    AND (identifier = $11
        OR transfer_sub = $12 AND last_seen_at > $13) ORDER BY created_at LIMIT 1),
    $14
) AND held.suspended_at IS NOT NULL
), NOT (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $15 AND provider = $16
    AND (identifier = $17
        OR transfer_sub = $18 AND last_seen_at > $19))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $20 AND own.sub = $21)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $22 AND host.registration = 'open')
), (
    NOT EXISTS (SELECT FROM upstream_identities WHERE team_id = $23 AND provider = $24
    AND (identifier = $25
        OR transfer_sub = $26 AND last_seen_at > $27))
    AND NOT EXISTS (
        SELECT FROM upstream_identities
        WHERE team_id = $28 AND sub = $29 AND linked_at IS NULL
    )
    AND EXISTS (
        SELECT FROM login_names WHERE team_id = $30 AND sub = $31
        UNION ALL
        SELECT FROM passwords WHERE team_id = $32 AND sub = $33
        UNION ALL
        SELECT FROM passkeys WHERE team_id = $34 AND sub = $35
    )
)
;
-- pippin_app 25 25 25 25 25 1184 16 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25
WITH waited AS (
    DELETE FROM upstream_announcements AS waiting
    WHERE waiting.team_id = $1 AND waiting.sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $2 AND provider = $3 AND identifier = $4) AND waiting.app_id = $5
        AND waiting.held_until <= $6
    RETURNING form_given_name, form_family_name, form_email, given_name, family_name, announced_at
), late AS (
    SELECT *, given_name <> '' OR family_name <> '' AS is_called FROM waited
    WHERE form_given_name IS NOT NULL AND $7
    ORDER BY announced_at LIMIT 1
), vault AS (
    UPDATE upstream_identities AS known
    SET form_given_name = late.form_given_name, form_family_name = late.form_family_name,
        form_email = coalesce(late.form_email, known.form_email), form_received_at = late.announced_at
    FROM late
    WHERE known.team_id = $8 AND known.provider = $9
        AND known.identifier = $10
        AND (known.form_received_at IS NULL OR NOT EXISTS (
    SELECT FROM consents
    WHERE team_id = $11 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $12 AND provider = $13 AND identifier = $14) AND shares_name AND delivered_at IS NOT NULL
))
), profile AS (
    UPDATE users SET given_name = late.given_name, family_name = late.family_name
FROM late
WHERE users.team_id = $15 AND users.sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $16 AND provider = $17 AND identifier = $18) AND late.is_called AND NOT EXISTS (
    SELECT FROM consents
    WHERE team_id = $19 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $20 AND provider = $21 AND identifier = $22) AND shares_name AND delivered_at IS NOT NULL
) AND NOT EXISTS (
    SELECT FROM upstream_identities
    WHERE team_id = $23 AND provider = $24 AND identifier = $25
        AND linked_at IS NOT NULL
) AND NOT EXISTS (SELECT FROM login_names WHERE login_names.team_id = $26 AND login_names.sub = users.sub)
)
UPDATE consents AS known
SET shares_name = true, given_name = late.given_name, family_name = late.family_name,
    delivered_at = NULL
FROM late
WHERE known.team_id = $27 AND known.sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $28 AND provider = $29 AND identifier = $30) AND known.app_id = $31 AND late.is_called AND NOT EXISTS (
    SELECT FROM upstream_identities
    WHERE team_id = $32 AND provider = $33 AND identifier = $34
        AND linked_at IS NOT NULL
) AND (NOT known.shares_name OR known.delivered_at IS NULL)
;
-- pippin_app 25 25 25 25 25 1184 25
INSERT INTO app_transfers (
    team_id, transfer_id, target_team, app_id, registration, offered_at, offered_by
) VALUES (
    $1, $2, $3, $4, $5::jsonb, $6, $7
)
;
-- pippin_app 25 25 25 25 25 1184 25
SELECT FROM users WHERE team_id = $1 AND sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $2 AND provider = $3
    AND (identifier = $4
        OR transfer_sub = $5 AND last_seen_at > $6) ORDER BY created_at LIMIT 1),
    $7
) FOR NO KEY UPDATE
;
-- pippin_app 25 25 25 25 25 1184 25 25
SELECT pg_advisory_xact_lock(hashtextextended(
    concat('announcements ', $1::text, ' ', coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $2 AND provider = $3
    AND (identifier = $4
        OR transfer_sub = $5 AND last_seen_at > $6) ORDER BY created_at LIMIT 1),
    $7
), ' ', $8::text), 0
))
;
-- pippin_app 25 25 25 25 25 16 16 25 25 1184 25 1184 25 25 16 16 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25 16 16 16 16 25 25 25 25 25 25 25 25 25 25 17 1009 1184
WITH granted AS (INSERT INTO consents AS known (
    team_id, sub, app_id, shares_name, shares_email, hides_email, given_name, family_name, granted_at, ip,
    delivered_at, provider, upstream_email, is_upstream_email_verified, is_upstream_email_private
)
SELECT $1, (SELECT sub FROM upstream_identities
    WHERE team_id = $2 AND provider = $3 AND identifier = $4), $5, $6, $7, false, $8,
    $9, $10, $11, $12, $13,
    $14, $15, $16
WHERE EXISTS (
    SELECT FROM upstream_identities
    WHERE team_id = $17 AND provider = $18 AND identifier = $19
        AND linked_at IS NOT NULL
) AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $20 AND unlink.provider = $21
        AND unlink.identifier_hash IN (sha256(convert_to($22, 'UTF8'))) AND unlink.app_id IN ('', $23)
        AND (unlink.unlinked_at > $24 OR unlink.reported_at > $25)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $26 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $27 AND provider = $28
    AND (identifier = $29
        OR transfer_sub = $30 AND last_seen_at > $31) ORDER BY created_at LIMIT 1),
    $32
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $33 AND provider = $34
    AND (identifier = $35
        OR transfer_sub = $36 AND last_seen_at > $37))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $38 AND own.sub = $39)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $40 AND host.registration = 'open')
)
ON CONFLICT (team_id, sub, app_id) DO UPDATE SET
    shares_name = known.shares_name OR excluded.shares_name,
    shares_email = known.shares_email OR excluded.shares_email,
    given_name = CASE WHEN excluded.shares_name AND ($41 OR NOT known.shares_name OR known.delivered_at IS NULL)
        THEN excluded.given_name ELSE known.given_name END,
    family_name = CASE WHEN excluded.shares_name AND ($42 OR NOT known.shares_name OR known.delivered_at IS NULL)
        THEN excluded.family_name ELSE known.family_name END,
    delivered_at = CASE WHEN $43 AND ($44 OR NOT known.shares_name OR known.delivered_at IS NULL) THEN NULL ELSE known.delivered_at END
    , upstream_email = coalesce(excluded.upstream_email, known.upstream_email),
    is_upstream_email_verified = CASE WHEN excluded.upstream_email IS NULL
        THEN known.is_upstream_email_verified ELSE excluded.is_upstream_email_verified END,
    is_upstream_email_private = CASE WHEN excluded.upstream_email IS NULL
        THEN known.is_upstream_email_private ELSE excluded.is_upstream_email_private END
WHERE known.provider IS NOT NULL
RETURNING sub, granted_at)
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $45, clock_timestamp(), $46, granted.sub, $47, $48,
    granted.sub, $49, NULLIF($50, ''), NULLIF($51, ''),
    NULLIF($52, ''), $53::jsonb, $54::jsonb,
    $55, array_append($56::text[], lower(granted.sub))
FROM granted WHERE granted_at = $57
;
-- pippin_app 25 25 25 25 25 16 16 25 25 1184 25 1184 25 25 16 16 25 25 25 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25 16 16 16 16 25 25 25 25 25 25 25 25 25 25 17 1009 1184
WITH granted AS (INSERT INTO consents AS known (
    team_id, sub, app_id, shares_name, shares_email, hides_email, given_name, family_name, granted_at, ip,
    delivered_at, provider, upstream_email, is_upstream_email_verified, is_upstream_email_private
)
SELECT $1, (SELECT sub FROM upstream_identities
    WHERE team_id = $2 AND provider = $3 AND identifier = $4), $5, $6, $7, false, $8,
    $9, $10, $11, $12, $13,
    $14, $15, $16
WHERE NOT EXISTS (
    SELECT FROM upstream_identities
    WHERE team_id = $17 AND provider = $18 AND identifier = $19
        AND linked_at IS NOT NULL
) AND (SELECT sub FROM upstream_identities
    WHERE team_id = $20 AND provider = $21 AND identifier = $22) IS NOT NULL AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $23 AND unlink.provider = $24
        AND unlink.identifier_hash IN (sha256(convert_to($25, 'UTF8'))) AND unlink.app_id IN ('', $26)
        AND (unlink.unlinked_at > $27 OR unlink.reported_at > $28)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $29 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $30 AND provider = $31
    AND (identifier = $32
        OR transfer_sub = $33 AND last_seen_at > $34) ORDER BY created_at LIMIT 1),
    $35
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $36 AND provider = $37
    AND (identifier = $38
        OR transfer_sub = $39 AND last_seen_at > $40))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $41 AND own.sub = $42)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $43 AND host.registration = 'open')
)
ON CONFLICT (team_id, sub, app_id) DO UPDATE SET
    shares_name = known.shares_name OR excluded.shares_name,
    shares_email = known.shares_email OR excluded.shares_email,
    given_name = CASE WHEN excluded.shares_name AND ($44 OR NOT known.shares_name OR known.delivered_at IS NULL)
        THEN excluded.given_name ELSE known.given_name END,
    family_name = CASE WHEN excluded.shares_name AND ($45 OR NOT known.shares_name OR known.delivered_at IS NULL)
        THEN excluded.family_name ELSE known.family_name END,
    delivered_at = CASE WHEN $46 AND ($47 OR NOT known.shares_name OR known.delivered_at IS NULL) THEN NULL ELSE known.delivered_at END
    
RETURNING sub, granted_at)
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $48, clock_timestamp(), $49, granted.sub, $50, $51,
    granted.sub, $52, NULLIF($53, ''), NULLIF($54, ''),
    NULLIF($55, ''), $56::jsonb, $57::jsonb,
    $58, array_append($59::text[], lower(granted.sub))
FROM granted WHERE granted_at = $60
;
-- pippin_app 25 25 25 25 25 16 16 25 25 1184 25 1184 25 25 16 16 25 25 25 25 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25 16 16 16 16 25 25 25 25 25 25 25 25 25 25 17 1009 1184
WITH granted AS (INSERT INTO consents AS known (
    team_id, sub, app_id, shares_name, shares_email, hides_email, given_name, family_name, granted_at, ip,
    delivered_at, provider, upstream_email, is_upstream_email_verified, is_upstream_email_private
)
SELECT $1, (SELECT sub FROM upstream_identities
    WHERE team_id = $2 AND provider = $3 AND identifier = $4), $5, $6, $7, false, $8,
    $9, $10, $11, $12, $13,
    $14, $15, $16
WHERE NOT EXISTS (
    SELECT FROM upstream_identities
    WHERE team_id = $17 AND provider = $18 AND identifier = $19
        AND linked_at IS NOT NULL
) AND (SELECT sub FROM upstream_identities
    WHERE team_id = $20 AND provider = $21 AND identifier = $22) IS NOT NULL AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $23 AND unlink.provider = $24
        AND unlink.identifier_hash IN (sha256(convert_to($25, 'UTF8')), sha256(convert_to('transfer ' || $26, 'UTF8'))) AND unlink.app_id IN ('', $27)
        AND (unlink.unlinked_at > $28 OR unlink.reported_at > $29)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $30 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $31 AND provider = $32
    AND (identifier = $33
        OR transfer_sub = $34 AND last_seen_at > $35) ORDER BY created_at LIMIT 1),
    $36
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $37 AND provider = $38
    AND (identifier = $39
        OR transfer_sub = $40 AND last_seen_at > $41))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $42 AND own.sub = $43)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $44 AND host.registration = 'open')
)
ON CONFLICT (team_id, sub, app_id) DO UPDATE SET
    shares_name = known.shares_name OR excluded.shares_name,
    shares_email = known.shares_email OR excluded.shares_email,
    given_name = CASE WHEN excluded.shares_name AND ($45 OR NOT known.shares_name OR known.delivered_at IS NULL)
        THEN excluded.given_name ELSE known.given_name END,
    family_name = CASE WHEN excluded.shares_name AND ($46 OR NOT known.shares_name OR known.delivered_at IS NULL)
        THEN excluded.family_name ELSE known.family_name END,
    delivered_at = CASE WHEN $47 AND ($48 OR NOT known.shares_name OR known.delivered_at IS NULL) THEN NULL ELSE known.delivered_at END
    
RETURNING sub, granted_at)
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $49, clock_timestamp(), $50, granted.sub, $51, $52,
    granted.sub, $53, NULLIF($54, ''), NULLIF($55, ''),
    NULLIF($56, ''), $57::jsonb, $58::jsonb,
    $59, array_append($60::text[], lower(granted.sub))
FROM granted WHERE granted_at = $61
;
-- pippin_app 25 25 25 25 25 16 25 20
SELECT (extract(epoch FROM at) * 1000000)::bigint || ' ' || event_id, (jsonb_build_object(
    'at', at, 'action', action, 'by', actor_kind, 'outcome', outcome, 'ip', ip, 'userAgent', user_agent,
    'before', before, 'after', after
))::text
FROM audit_events
WHERE team_id = $1 AND target_kind = 'user' AND target = $2
    AND ($3 IS NULL OR (at, event_id) < (
        timestamptz 'epoch' + $4::bigint * interval '1 microsecond', $5
    ))
    AND NOT ($6 AND action = 'user.exported' AND actor <> $7)
ORDER BY at DESC, event_id DESC LIMIT $8
;
-- pippin_app 25 25 25 25 25 16 25 25
SELECT
    EXISTS (
        SELECT FROM upstream_identities i
        WHERE i.team_id = $1 AND i.sub = $2 AND i.provider = $3 AND i.linked_at IS NOT NULL
    ),
    EXISTS (SELECT FROM passwords p WHERE p.team_id = $4 AND p.sub = $5)
        OR ($6 AND EXISTS (
            SELECT FROM passkeys p WHERE p.team_id = $7 AND p.sub = $8
        ))
;
-- pippin_app 25 25 25 25 25 20 25 17 25 25 25 25 25 17 1184 1184
WITH trimmed AS (
    DELETE FROM upstream_tokens WHERE team_id = $1 AND token_id IN (
        SELECT token_id FROM upstream_tokens
        WHERE team_id = $2 AND sub = $3 AND app_id = $4
            AND provider = $5 AND state = 'live'
        ORDER BY created_at DESC, token_id OFFSET $6 LIMIT 64
        FOR UPDATE SKIP LOCKED
    )
)
INSERT INTO upstream_tokens (
    team_id, token_id, provider, sub, identifier, app_id, client_id, token_sealed, created_at, validate_at
)
SELECT $7, $8, $9, $10, $11, $12,
    $13, $14, $15, $16

ON CONFLICT DO NOTHING
;
-- pippin_app 25 25 25 25 25 20 25 17 25 25 25 25 25 17 1184 1184 25 25 25 25 25 25
WITH trimmed AS (
    DELETE FROM upstream_tokens WHERE team_id = $1 AND token_id IN (
        SELECT token_id FROM upstream_tokens
        WHERE team_id = $2 AND sub = $3 AND app_id = $4
            AND provider = $5 AND state = 'live'
        ORDER BY created_at DESC, token_id OFFSET $6 LIMIT 64
        FOR UPDATE SKIP LOCKED
    )
)
INSERT INTO upstream_tokens (
    team_id, token_id, provider, sub, identifier, app_id, client_id, token_sealed, created_at, validate_at
)
SELECT $7, $8, $9, $10, $11, $12,
    $13, $14, $15, $16
WHERE EXISTS (SELECT FROM upstream_identities AS standing
WHERE standing.team_id = $17 AND standing.provider = $18
    AND standing.identifier = $19 AND standing.sub = $20
    AND standing.state = 'authorized' AND EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = $21 AND person.sub = $22 AND person.suspended_at IS NULL
    ) )
ON CONFLICT DO NOTHING
;
-- pippin_app 25 25 25 25 25 20 25 17 25 25 25 25 25 17 1184 1184 25 25 25 25 25 25 25 25 25
WITH trimmed AS (
    DELETE FROM upstream_tokens WHERE team_id = $1 AND token_id IN (
        SELECT token_id FROM upstream_tokens
        WHERE team_id = $2 AND sub = $3 AND app_id = $4
            AND provider = $5 AND state = 'live'
        ORDER BY created_at DESC, token_id OFFSET $6 LIMIT 64
        FOR UPDATE SKIP LOCKED
    )
)
INSERT INTO upstream_tokens (
    team_id, token_id, provider, sub, identifier, app_id, client_id, token_sealed, created_at, validate_at
)
SELECT $7, $8, $9, $10, $11, $12,
    $13, $14, $15, $16
WHERE EXISTS (SELECT FROM upstream_identities AS standing
WHERE standing.team_id = $17 AND standing.provider = $18
    AND standing.identifier = $19 AND standing.sub = $20
    AND standing.state = 'authorized' AND EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = $21 AND person.sub = $22 AND person.suspended_at IS NULL
    ) AND EXISTS (
    SELECT FROM consents AS given
    WHERE given.team_id = $23 AND given.sub = $24 AND given.app_id = $25
))
ON CONFLICT DO NOTHING
;
-- pippin_app 25 25 25 25 25 20 25 25 25 1184 25 16 1184 1184 1184 1184
INSERT INTO upstream_identities (
    team_id, provider, identifier, sub, transfer_sub, real_user_status, form_given_name, form_family_name,
    form_email, form_received_at, email, is_private_email, linked_at, state_at, created_at, last_seen_at
) VALUES (
    $1, $2, $3, $4, $5,
    $6, $7,
    $8, $9,
    $10, $11, $12, $13, $14,
    $15, $16
)
ON CONFLICT DO NOTHING
;
-- pippin_app 25 25 25 25 25 20 25 25 25 20 25 25 25 20 20 1184 1184 25 20 25 1184 1184 25 20 25 25 25 25 25 25 25 20 25
WITH few AS MATERIALIZED (
    SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $1 AND u.sub = $2
    UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $3 AND (u.email_key >= lower($4) AND u.email_key < lower($5) || chr(1114111))
ORDER BY u.email_key LIMIT $6)
    UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $7 AND (u.name_key >= lower($8) AND u.name_key < lower($9) || chr(1114111))
ORDER BY u.name_key LIMIT $10)
    UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $11 AND (u.family_key >= lower($12) AND u.family_key < lower($13) || chr(1114111))
ORDER BY u.family_key LIMIT $14)
    
), total AS MATERIALIZED (
    SELECT count(*) AS number FROM few
), page AS (
    (
        SELECT c.sub, c.created_at FROM few c
        WHERE (SELECT number FROM total) <= $15 AND c.created_at <= $16
AND (c.created_at < $17 OR c.sub > $18)
        ORDER BY c.created_at DESC, c.sub
        LIMIT $19
    )
    UNION ALL
    (
        SELECT c.sub, c.created_at FROM (
            SELECT c.sub, c.created_at, c.email_key, c.name_key, c.family_key FROM users c
            WHERE c.team_id = $20 AND c.created_at <= $21
AND (c.created_at < $22 OR c.sub > $23)
            ORDER BY c.created_at DESC, c.sub
            OFFSET 0
        ) AS c
        WHERE (SELECT number FROM total) > $24 AND (
            c.sub = $25 OR (c.email_key >= lower($26) AND c.email_key < lower($27) || chr(1114111)) OR (c.name_key >= lower($28) AND c.name_key < lower($29) || chr(1114111))
            OR (c.family_key >= lower($30) AND c.family_key < lower($31) || chr(1114111))
            
        )
        LIMIT $32
    )
)
SELECT (SELECT number FROM total), u.sub IS NOT NULL, u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version
FROM (VALUES (1)) AS one (row)
LEFT JOIN (
    page CROSS JOIN LATERAL (
        SELECT * FROM users WHERE team_id = $33 AND sub = page.sub OFFSET 0
    ) AS u
) ON true
ORDER BY u.created_at DESC, u.sub
;
-- pippin_app 25 25 25 25 25 20 25 25 25 20 25 25 25 20 20 20 25 20 25 25 25 25 25 25 25 20 25
WITH few AS MATERIALIZED (
    SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $1 AND u.sub = $2
    UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $3 AND (u.email_key >= lower($4) AND u.email_key < lower($5) || chr(1114111))
ORDER BY u.email_key LIMIT $6)
    UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $7 AND (u.name_key >= lower($8) AND u.name_key < lower($9) || chr(1114111))
ORDER BY u.name_key LIMIT $10)
    UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $11 AND (u.family_key >= lower($12) AND u.family_key < lower($13) || chr(1114111))
ORDER BY u.family_key LIMIT $14)
    
), total AS MATERIALIZED (
    SELECT count(*) AS number FROM few
), page AS (
    (
        SELECT c.sub, c.created_at FROM few c
        WHERE (SELECT number FROM total) <= $15 AND true
        ORDER BY c.created_at DESC, c.sub
        LIMIT $16
    )
    UNION ALL
    (
        SELECT c.sub, c.created_at FROM (
            SELECT c.sub, c.created_at, c.email_key, c.name_key, c.family_key FROM users c
            WHERE c.team_id = $17 AND true
            ORDER BY c.created_at DESC, c.sub
            OFFSET 0
        ) AS c
        WHERE (SELECT number FROM total) > $18 AND (
            c.sub = $19 OR (c.email_key >= lower($20) AND c.email_key < lower($21) || chr(1114111)) OR (c.name_key >= lower($22) AND c.name_key < lower($23) || chr(1114111))
            OR (c.family_key >= lower($24) AND c.family_key < lower($25) || chr(1114111))
            
        )
        LIMIT $26
    )
)
SELECT (SELECT number FROM total), u.sub IS NOT NULL, u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version
FROM (VALUES (1)) AS one (row)
LEFT JOIN (
    page CROSS JOIN LATERAL (
        SELECT * FROM users WHERE team_id = $27 AND sub = page.sub OFFSET 0
    ) AS u
) ON true
ORDER BY u.created_at DESC, u.sub
;
-- pippin_app 25 25 25 25 25 20 25 25 25 20 25 25 25 20 25 25 25 25 20 20 20 25 20 25 25 25 25 25 25 25 25 25 25 20 25
WITH few AS MATERIALIZED (
    SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $1 AND u.sub = $2
    UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $3 AND (u.email_key >= lower($4) AND u.email_key < lower($5) || chr(1114111))
ORDER BY u.email_key LIMIT $6)
    UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $7 AND (u.name_key >= lower($8) AND u.name_key < lower($9) || chr(1114111))
ORDER BY u.name_key LIMIT $10)
    UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $11 AND (u.family_key >= lower($12) AND u.family_key < lower($13) || chr(1114111))
ORDER BY u.family_key LIMIT $14)
    UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $15 AND (u.family_key = lower($16) AND (u.name_key >= lower($17) AND u.name_key < lower($18) || chr(1114111)))
ORDER BY u.name_key LIMIT $19)
), total AS MATERIALIZED (
    SELECT count(*) AS number FROM few
), page AS (
    (
        SELECT c.sub, c.created_at FROM few c
        WHERE (SELECT number FROM total) <= $20 AND true
        ORDER BY c.created_at DESC, c.sub
        LIMIT $21
    )
    UNION ALL
    (
        SELECT c.sub, c.created_at FROM (
            SELECT c.sub, c.created_at, c.email_key, c.name_key, c.family_key FROM users c
            WHERE c.team_id = $22 AND true
            ORDER BY c.created_at DESC, c.sub
            OFFSET 0
        ) AS c
        WHERE (SELECT number FROM total) > $23 AND (
            c.sub = $24 OR (c.email_key >= lower($25) AND c.email_key < lower($26) || chr(1114111)) OR (c.name_key >= lower($27) AND c.name_key < lower($28) || chr(1114111))
            OR (c.family_key >= lower($29) AND c.family_key < lower($30) || chr(1114111))
            OR (c.family_key = lower($31) AND (c.name_key >= lower($32) AND c.name_key < lower($33) || chr(1114111)))
        )
        LIMIT $34
    )
)
SELECT (SELECT number FROM total), u.sub IS NOT NULL, u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version
FROM (VALUES (1)) AS one (row)
LEFT JOIN (
    page CROSS JOIN LATERAL (
        SELECT * FROM users WHERE team_id = $35 AND sub = page.sub OFFSET 0
    ) AS u
) ON true
ORDER BY u.created_at DESC, u.sub
;
-- pippin_app 25 25 25 25 25 20 25 25 25 20 25 25 25 20 25 25 25 25 20 25 25 25 25 20 20 20 25 20 25 25 25 25 25 25 25 25 25 25 25 25 25 20 25
WITH few AS MATERIALIZED (
    SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $1 AND u.sub = $2
    UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $3 AND (u.email_key >= lower($4) AND u.email_key < lower($5) || chr(1114111))
ORDER BY u.email_key LIMIT $6)
    UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $7 AND (u.name_key >= lower($8) AND u.name_key < lower($9) || chr(1114111))
ORDER BY u.name_key LIMIT $10)
    UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $11 AND (u.family_key >= lower($12) AND u.family_key < lower($13) || chr(1114111))
ORDER BY u.family_key LIMIT $14)
    UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $15 AND (u.family_key = lower($16) AND (u.name_key >= lower($17) AND u.name_key < lower($18) || chr(1114111)))
ORDER BY u.name_key LIMIT $19) UNION (SELECT u.sub, u.created_at FROM users u WHERE u.team_id = $20 AND (u.family_key = lower($21) AND (u.name_key >= lower($22) AND u.name_key < lower($23) || chr(1114111)))
ORDER BY u.name_key LIMIT $24)
), total AS MATERIALIZED (
    SELECT count(*) AS number FROM few
), page AS (
    (
        SELECT c.sub, c.created_at FROM few c
        WHERE (SELECT number FROM total) <= $25 AND true
        ORDER BY c.created_at DESC, c.sub
        LIMIT $26
    )
    UNION ALL
    (
        SELECT c.sub, c.created_at FROM (
            SELECT c.sub, c.created_at, c.email_key, c.name_key, c.family_key FROM users c
            WHERE c.team_id = $27 AND true
            ORDER BY c.created_at DESC, c.sub
            OFFSET 0
        ) AS c
        WHERE (SELECT number FROM total) > $28 AND (
            c.sub = $29 OR (c.email_key >= lower($30) AND c.email_key < lower($31) || chr(1114111)) OR (c.name_key >= lower($32) AND c.name_key < lower($33) || chr(1114111))
            OR (c.family_key >= lower($34) AND c.family_key < lower($35) || chr(1114111))
            OR (c.family_key = lower($36) AND (c.name_key >= lower($37) AND c.name_key < lower($38) || chr(1114111))) OR (c.family_key = lower($39) AND (c.name_key >= lower($40) AND c.name_key < lower($41) || chr(1114111)))
        )
        LIMIT $42
    )
)
SELECT (SELECT number FROM total), u.sub IS NOT NULL, u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version
FROM (VALUES (1)) AS one (row)
LEFT JOIN (
    page CROSS JOIN LATERAL (
        SELECT * FROM users WHERE team_id = $43 AND sub = page.sub OFFSET 0
    ) AS u
) ON true
ORDER BY u.created_at DESC, u.sub
;
-- pippin_app 25 25 25 25 25 25
INSERT INTO login_names (team_id, login, sub)
SELECT $1, $2, $3
WHERE EXISTS (
    SELECT FROM login_names WHERE team_id = $4 AND sub = $5 AND login = $6
)
ON CONFLICT (team_id, login) DO NOTHING
;
-- pippin_app 25 25 25 25 25 25
SELECT $1, NULL, confirmed_at AS added_at, last_used_at FROM totp_secrets
WHERE team_id = $2 AND sub = $3
UNION ALL
SELECT $4, name, created_at, last_used_at FROM passkeys
WHERE team_id = $5 AND sub = $6
ORDER BY added_at
;
-- pippin_app 25 25 25 25 25 25
SELECT FROM consents WHERE team_id = $1 AND sub = $2 AND app_id = $3
UNION ALL
SELECT FROM refresh_tokens
WHERE team_id = $4 AND sub = $5 AND app_id = $6 AND test_sign_in_id IS NULL
    AND revoked_at IS NULL
LIMIT 1
;
-- pippin_app 25 25 25 25 25 25
SELECT FROM upstream_identities AS standing
WHERE standing.team_id = $1 AND standing.provider = $2
    AND standing.identifier = $3 AND standing.sub = $4
    AND standing.state = 'authorized' AND EXISTS (
        SELECT FROM users AS person
        WHERE person.team_id = $5 AND person.sub = $6 AND person.suspended_at IS NULL
    ) 
;
-- pippin_app 25 25 25 25 25 25
SELECT count(*) FROM (
    SELECT FROM (SELECT b.at, b.event_id FROM (SELECT a.at, a.event_id FROM audit_words a
WHERE a.team_id = $1 AND a.word = $2
   ORDER BY a.at DESC, a.event_id DESC LIMIT 5000) AS b JOIN LATERAL (
    SELECT FROM audit_words a
    WHERE a.team_id = $3 AND a.word = $4 AND a.at = b.at AND a.event_id = b.event_id
    OFFSET 0
) AS also ON true) AS w JOIN LATERAL (
    SELECT * FROM audit_events e
    WHERE e.team_id = $5 AND e.at = w.at AND e.event_id = w.event_id
    OFFSET 0
) AS e ON true WHERE e.team_id = $6   
      ORDER BY w.at DESC, w.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 25 25 25 25 25
SELECT count(*) FROM (
    SELECT FROM (SELECT b.at, b.event_id FROM (SELECT a.at, a.event_id FROM audit_words a
WHERE a.team_id = $1 AND a.word = $2
   ORDER BY a.at DESC, a.event_id DESC LIMIT 5000) AS b JOIN LATERAL (
    SELECT FROM audit_words a
    WHERE a.team_id = $3 AND a.word = $4 AND a.at = b.at AND a.event_id = b.event_id
    OFFSET 0
) AS also ON true) AS w JOIN LATERAL (
    SELECT * FROM audit_events e
    WHERE e.team_id = $5 AND e.at = w.at AND e.event_id = w.event_id
    OFFSET 0
) AS e ON true WHERE e.team_id = $6   
   AND e.outcome = 'refused'   ORDER BY w.at DESC, w.event_id DESC LIMIT 1001
) AS counted
;
-- pippin_app 25 25 25 25 25 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM (SELECT b.at, b.event_id FROM (SELECT a.at, a.event_id FROM audit_words a
WHERE a.team_id = $1 AND a.word = $2
   ORDER BY a.at DESC, a.event_id DESC LIMIT 5000) AS b JOIN LATERAL (
    SELECT FROM audit_words a
    WHERE a.team_id = $3 AND a.word = $4 AND a.at = b.at AND a.event_id = b.event_id
    OFFSET 0
) AS also ON true) AS w JOIN LATERAL (
    SELECT * FROM audit_events e
    WHERE e.team_id = $5 AND e.at = w.at AND e.event_id = w.event_id
    OFFSET 0
) AS e ON true WHERE e.team_id = $6   
     
ORDER BY w.at DESC, w.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 25 25 25 25 25
SELECT e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email FROM (SELECT e.team_id, e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
e.request_id, e.before, e.after
FROM (SELECT b.at, b.event_id FROM (SELECT a.at, a.event_id FROM audit_words a
WHERE a.team_id = $1 AND a.word = $2
   ORDER BY a.at DESC, a.event_id DESC LIMIT 5000) AS b JOIN LATERAL (
    SELECT FROM audit_words a
    WHERE a.team_id = $3 AND a.word = $4 AND a.at = b.at AND a.event_id = b.event_id
    OFFSET 0
) AS also ON true) AS w JOIN LATERAL (
    SELECT * FROM audit_events e
    WHERE e.team_id = $5 AND e.at = w.at AND e.event_id = w.event_id
    OFFSET 0
) AS e ON true WHERE e.team_id = $6   
   AND e.outcome = 'refused'  
ORDER BY w.at DESC, w.event_id DESC
LIMIT 51) AS e
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
    OFFSET 0
) AS a ON true
LEFT JOIN LATERAL (
    SELECT p.name, p.email FROM audit_people p
    WHERE p.team_id = e.team_id AND p.sub = e.target
        AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
    OFFSET 0
) AS t ON true
ORDER BY e.at DESC, e.event_id DESC
;
-- pippin_app 25 25 25 25 25 25
SELECT last_seen_at,
    EXISTS (SELECT FROM passwords p WHERE p.team_id = $1 AND p.sub = i.sub)
        OR EXISTS (SELECT FROM passkeys p WHERE p.team_id = $2 AND p.sub = i.sub)
        OR linked_at IS NOT NULL
FROM upstream_identities i
WHERE team_id = $3 AND provider = $4 AND identifier = $5 AND sub = $6
;
-- pippin_app 25 25 25 25 25 25
SELECT notifications.type, notifications.sub, notifications.app_id, notifications.event_time, app_ids.notification_url,
    CASE WHEN consents.is_upstream_email_private THEN consents.upstream_email
        WHEN users.is_private_email THEN users.email ELSE users.relay_address END,
    teams.account_delete_event
FROM notifications
JOIN teams ON teams.team_id = $1
LEFT JOIN app_ids ON app_ids.team_id = $2 AND app_ids.identifier = notifications.app_id
LEFT JOIN users ON users.team_id = $3 AND users.sub = notifications.sub
LEFT JOIN consents ON consents.team_id = $4 AND consents.sub = notifications.sub
    AND consents.app_id = notifications.app_id
WHERE notifications.team_id = $5 AND notifications.notification_id = $6 AND notifications.state = 'pending'
;
-- pippin_app 25 25 25 25 25 25 1184 25 17 25 1184 1184
SELECT EXISTS (SELECT FROM users WHERE team_id = $1 AND sub = $2),
    EXISTS (
        SELECT FROM upstream_tokens
        WHERE team_id = $3 AND sub = $4 AND app_id = $5
            AND provider = $6 AND validated_at > $7
    ), EXISTS (
    SELECT FROM upstream_tokens AS asked JOIN upstream_tokens AS newer
        ON newer.team_id = asked.team_id AND newer.sub = asked.sub AND newer.app_id = asked.app_id
        AND newer.provider = asked.provider
    WHERE asked.team_id = $8 AND asked.token_id = $9 AND newer.team_id = $10
        AND newer.state = 'live' AND (newer.created_at <= $11, newer.created_at, newer.token_id) > (asked.created_at <= $12, asked.created_at, asked.token_id)
)
;
-- pippin_app 25 25 25 25 25 25 1184 25 20 25 20 25
WITH counted AS (
    UPDATE notifications
    SET attempts = attempts + 1, state = $1,
        settled_at = CASE WHEN $2::text = 'pending' THEN NULL ELSE clock_timestamp() END
    WHERE team_id = $3 AND notification_id = $4
    RETURNING attempts
)
INSERT INTO delivery_attempts (
    team_id, notification_id, number, at, url, status, problem, milliseconds, excerpt
)
SELECT $5, $6, attempts, $7, $8, $9::bigint, $10,
    $11::bigint, $12
FROM counted
;
-- pippin_app 25 25 25 25 25 25 16 20 25 25
INSERT INTO service_ids (team_id, identifier, app_id, rank, description, issuer, booleans, requires_pkce)
SELECT $1, $2, $3, rank, $4,
    $5, $6, $7
FROM (
    SELECT min(rank) AS rank
    FROM (SELECT generate_series(1, $8) AS rank EXCEPT SELECT rank FROM service_ids WHERE team_id = $9 AND app_id = $10) AS candidates
    HAVING min(rank) IS NOT NULL
) AS free
;
-- pippin_app 25 25 25 25 25 25 16 25 20
SELECT (extract(epoch FROM at) * 1000000)::bigint || ' ' || event_id, (CASE WHEN actor = $1 THEN jsonb_build_object(
    'at', at, 'action', action, 'by', actor_kind, 'outcome', outcome, 'ip', ip, 'userAgent', user_agent,
    'before', before, 'after', after
) ELSE jsonb_build_object(
    'at', at, 'action', action, 'by', actor_kind, 'outcome', outcome,
    'before', CASE jsonb_typeof(before) WHEN 'object' THEN before - 'reason' END,
    'after', CASE jsonb_typeof(after) WHEN 'object' THEN after - 'reason' END
) END)::text
FROM audit_events
WHERE team_id = $2 AND target_kind = 'user' AND target = $3
    AND ($4 IS NULL OR (at, event_id) < (
        timestamptz 'epoch' + $5::bigint * interval '1 microsecond', $6
    ))
    AND NOT ($7 AND action = 'user.exported' AND actor <> $8)
ORDER BY at DESC, event_id DESC LIMIT $9
;
-- pippin_app 25 25 25 25 25 25 17 20 25 25
INSERT INTO apple_keys (
    team_id, key_id, apple_team_id, name, app_id, rank, fingerprint, private_key_sealed
)
SELECT $1, $2, $3, $4, $5, rank,
    $6, $7
FROM (
    SELECT min(rank) AS rank
    FROM (SELECT generate_series(1, $8) AS rank EXCEPT SELECT rank FROM apple_keys WHERE team_id = $9 AND app_id = $10) AS candidates
    HAVING min(rank) IS NOT NULL
) AS free
ON CONFLICT (team_id, key_id) DO NOTHING
;
-- pippin_app 25 25 25 25 25 25 17 20 25 25
INSERT INTO keys (team_id, key_id, name, app_id, rank, public_key_pem, fingerprint, private_key_sealed)
SELECT $1, $2, $3, $4, rank, $5, $6,
    $7
FROM (
    SELECT min(rank) AS rank
    FROM (SELECT generate_series(1, $8) AS rank EXCEPT SELECT rank FROM keys WHERE team_id = $9 AND app_id = $10) AS candidates
    HAVING min(rank) IS NOT NULL
) AS free
ON CONFLICT (team_id, key_id) DO NOTHING
;
-- pippin_app 25 25 25 25 25 25 20
SELECT total.count, page.identifier IS NOT NULL, page.*
FROM (SELECT count(*) FROM service_ids AS s WHERE s.team_id = $1  AND (
    starts_with(lower(s.identifier), $2)
    OR starts_with(lower(s.description), $3)
)) AS total
LEFT JOIN (
    SELECT
        s.identifier, s.description, s.app_id, a.description AS app_description,
        (
            SELECT count(*) FROM service_domains AS d
            WHERE d.team_id = s.team_id AND d.service_id = s.identifier
        ) AS domains,
        (
            SELECT count(*) FROM return_urls AS u
            WHERE u.team_id = s.team_id AND u.service_id = s.identifier
        ) AS return_urls,
        s.created_at
    FROM service_ids AS s
    JOIN app_ids AS a ON a.team_id = s.team_id AND a.identifier = s.app_id
    WHERE s.team_id = $4  AND (
    starts_with(lower(s.identifier), $5)
    OR starts_with(lower(s.description), $6)
) 
    ORDER BY s.identifier
    LIMIT $7
) AS page ON true
ORDER BY page.identifier
;
-- pippin_app 25 25 25 25 25 25 20
SELECT total.count, page.key_id IS NOT NULL, page.*
FROM (SELECT count(*) FROM keys AS k WHERE k.team_id = $1  AND (
    starts_with(lower(k.key_id), $2) OR starts_with(lower(k.name), $3)
)) AS total
LEFT JOIN (
    SELECT k.key_id, k.name, k.app_id, k.public_key_pem, k.fingerprint, k.private_key_sealed IS NOT NULL,
k.downloaded_at, k.created_at, k.revoked_at, u.last_used_at FROM keys AS k LEFT JOIN key_uses AS u ON u.team_id = k.team_id AND u.key_id = k.key_id
    WHERE k.team_id = $4  AND (
    starts_with(lower(k.key_id), $5) OR starts_with(lower(k.name), $6)
) 
    ORDER BY k.created_at DESC, k.key_id DESC
    LIMIT $7
) AS page ON true
ORDER BY page.created_at DESC, page.key_id DESC
;
-- pippin_app 25 25 25 25 25 25 20
WITH upstream_ended AS (
    UPDATE upstream_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
    WHERE team_id = $1 AND sub = $2 AND ($3 IS NULL OR app_id = $4)
    AND state = 'live' AND EXISTS (SELECT )
    RETURNING token_id
), upstream_jobs AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
SELECT $5, pippin_job_id(), $6, $7, payload, clock_timestamp()
FROM (SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM upstream_ended) AS wanted (payload)
) SELECT FROM upstream_ended
;
-- pippin_app 25 25 25 25 25 25 20 25 25 20 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH waiting AS (
    UPDATE notifications SET state = 'pending', settled_at = NULL, job_id = $1
    WHERE team_id = $2 AND notification_id = $3 AND state <> 'pending'
    RETURNING notification_id
), job AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotency_key, due_at)
SELECT $4, $5, $6, $7, $8::jsonb, $9,
    clock_timestamp() + $10 * interval '1 microsecond'
FROM waiting
ON CONFLICT DO NOTHING
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $11, clock_timestamp(), $12, $13, $14, $15,
    $16, $17, NULLIF($18, ''), NULLIF($19, ''),
    NULLIF($20, ''), $21::jsonb, $22::jsonb,
    $23, $24
FROM waiting
)
SELECT notification_id FROM waiting
;
-- pippin_app 25 25 25 25 25 25 20 25 25 25 25
INSERT INTO deletion_receipt_tokens (
    team_id, receipt_id, number, client_id, issued_at, fate, settled_at, provider, upstream_token_id, problem
)
SELECT $1, $2, row_number() OVER (ORDER BY provider NULLS FIRST, created_at, token_id),
    client_id, created_at, fate, settled_at, provider, upstream_token_id, problem
FROM (
    (
        SELECT token_id, client_id, created_at, 'revoked' AS fate, clock_timestamp() AS settled_at,
            NULL::text AS provider, NULL::bytea AS upstream_token_id, NULL::text AS problem
        FROM refresh_tokens
        WHERE team_id = $3 AND sub = $4 AND revoked_at IS NULL AND test_sign_in_id IS NULL
            AND ($5 IS NULL OR app_id = $6)
        ORDER BY created_at DESC LIMIT $7
    )
    UNION ALL
    SELECT token_id, client_id, created_at, CASE state WHEN 'refused' THEN 'refused' ELSE 'pending' END,
        CASE state WHEN 'refused' THEN settled_at END, provider, token_id,
        CASE state WHEN 'refused' THEN problem END
    FROM upstream_tokens
    WHERE team_id = $8 AND sub = $9 AND state <> 'revoked'
        AND ($10 IS NULL OR app_id = $11)
) AS token
;
-- pippin_app 25 25 25 25 25 25 25
INSERT INTO transfer_subs (team_id, sub, target_team, transfer_sub)
SELECT $1, sub, $2, $3 FROM consents
WHERE team_id = $4 AND sub = $5 AND app_id = $6 AND pippin_team_is_open($7)
ON CONFLICT DO NOTHING
;
-- pippin_app 25 25 25 25 25 25 25
SELECT FROM upstream_tokens
WHERE team_id = $1 AND app_id = $2 AND provider = $3
    AND (identifier = $4
        OR sub = $5 AND (identifier IS NULL OR $6 IS NULL)) AND state = 'live'
    AND NOT EXISTS (SELECT FROM teams WHERE team_id = $7 AND closed_at IS NOT NULL)
LIMIT 1
;
-- pippin_app 25 25 25 25 25 25 25 1184
INSERT INTO apple_connection_tests (
    team_id, app_id, client_id, key_id, apple_team_id, outcome, detail, tested_at
) VALUES (
    $1, $2, $3, $4, $5, $6,
    $7, $8
)
;
-- pippin_app 25 25 25 25 25 25 25 1184 1184 1184 17 20
SELECT encode(token_id, 'hex'), sub,
EXISTS (SELECT FROM users WHERE users.team_id = upstream_tokens.team_id AND users.sub = upstream_tokens.sub),
app_id, client_id, state, problem, problem_at, created_at, validated_at,
settled_at FROM upstream_tokens
WHERE team_id = $1 AND problem IS NOT NULL AND ($2 IS NULL OR state = $3)
    AND ($4 IS NULL OR problem = $5)
    AND ($6 IS NULL OR sub = $7)
    AND ($8 IS NULL OR problem_at < $9
        OR (problem_at = $10 AND token_id > $11))
ORDER BY problem_at DESC, token_id
LIMIT $12
;
-- pippin_app 25 25 25 25 25 25 25 1184 25 25 20 25 25 25 1184 25 16 25 25 25 25 1184 1184 1184 1184 25 1184 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25 25 25 25 25 1184 25 25 25 25 25 25 25 25 20 20 16 16 25 1184 25 25 1184 1184
WITH form (counts) AS (SELECT false)
INSERT INTO upstream_identities AS known (
    team_id, provider, identifier, sub, transfer_sub, real_user_status, form_given_name, form_family_name,
    form_email, form_received_at, email, is_private_email, linked_at, state_at, created_at, last_seen_at,
    last_login_app_id, last_login_at
)
SELECT $1, $2, $3,
    coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $4 AND provider = $5
    AND (identifier = $6
        OR transfer_sub = $7 AND last_seen_at > $8) ORDER BY created_at LIMIT 1),
    $9
), $10, $11,
    $12, $13,
    $14, $15, $16,
    $17,
    (SELECT linked_at FROM upstream_identities WHERE team_id = $18 AND provider = $19
    AND (identifier = $20
        OR transfer_sub = $21 AND last_seen_at > $22) ORDER BY created_at LIMIT 1),
    $23, $24, $25, $26, $27
WHERE NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $28 AND unlink.provider = $29
        AND unlink.identifier_hash IN (sha256(convert_to($30, 'UTF8'))) AND unlink.app_id IN ('', $31)
        AND (unlink.unlinked_at > $32 OR unlink.reported_at > $33)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $34 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $35 AND provider = $36
    AND (identifier = $37
        OR transfer_sub = $38 AND last_seen_at > $39) ORDER BY created_at LIMIT 1),
    $40
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $41 AND provider = $42
    AND (identifier = $43
        OR transfer_sub = $44 AND last_seen_at > $45))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $46 AND own.sub = $47)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $48 AND host.registration = 'open')
) AND NOT (
    NOT EXISTS (SELECT FROM upstream_identities WHERE team_id = $49 AND provider = $50
    AND (identifier = $51
        OR transfer_sub = $52 AND last_seen_at > $53))
    AND NOT EXISTS (
        SELECT FROM upstream_identities
        WHERE team_id = $54 AND sub = $55 AND linked_at IS NULL
    )
    AND EXISTS (
        SELECT FROM login_names WHERE team_id = $56 AND sub = $57
        UNION ALL
        SELECT FROM passwords WHERE team_id = $58 AND sub = $59
        UNION ALL
        SELECT FROM passkeys WHERE team_id = $60 AND sub = $61
    )
)
ON CONFLICT (team_id, provider, identifier) DO UPDATE SET
    transfer_sub = coalesce(excluded.transfer_sub, known.transfer_sub),
    real_user_status = coalesce(
        $62, known.real_user_status, $63
    ),
    form_given_name = CASE WHEN (SELECT counts FROM form) AND $64
        THEN excluded.form_given_name ELSE known.form_given_name END,
    form_family_name = CASE WHEN (SELECT counts FROM form) AND $65
        THEN excluded.form_family_name ELSE known.form_family_name END,
    form_email = CASE WHEN (SELECT counts FROM form)
        THEN coalesce(excluded.form_email, known.form_email) ELSE known.form_email END,
    form_received_at = CASE WHEN (SELECT counts FROM form)
        THEN excluded.form_received_at ELSE known.form_received_at END,
    email = coalesce(excluded.email, known.email),
    is_private_email = CASE WHEN excluded.email IS NULL THEN known.is_private_email
        ELSE excluded.is_private_email END,
    state = 'authorized',
    state_at = CASE WHEN known.state = 'authorized' THEN known.state_at ELSE excluded.state_at END,
    last_seen_at = greatest(excluded.last_seen_at, known.last_seen_at),
    last_login_app_id = CASE WHEN $66 IS NULL OR known.last_login_at > $67 THEN known.last_login_app_id ELSE $68 END,
last_login_at = CASE WHEN $69 IS NULL OR known.last_login_at > $70 THEN known.last_login_at ELSE $71 END
;
-- pippin_app 25 25 25 25 25 25 25 1184 25 25 20 25 25 25 1184 25 16 25 25 25 25 1184 1184 1184 1184 25 1184 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25 25 25 25 25 1184 25 25 25 25 25 25 25 25 20 20 16 16 25 1184 25 25 1184 1184
WITH form (counts) AS (SELECT true)
INSERT INTO upstream_identities AS known (
    team_id, provider, identifier, sub, transfer_sub, real_user_status, form_given_name, form_family_name,
    form_email, form_received_at, email, is_private_email, linked_at, state_at, created_at, last_seen_at,
    last_login_app_id, last_login_at
)
SELECT $1, $2, $3,
    coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $4 AND provider = $5
    AND (identifier = $6
        OR transfer_sub = $7 AND last_seen_at > $8) ORDER BY created_at LIMIT 1),
    $9
), $10, $11,
    $12, $13,
    $14, $15, $16,
    $17,
    (SELECT linked_at FROM upstream_identities WHERE team_id = $18 AND provider = $19
    AND (identifier = $20
        OR transfer_sub = $21 AND last_seen_at > $22) ORDER BY created_at LIMIT 1),
    $23, $24, $25, $26, $27
WHERE NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $28 AND unlink.provider = $29
        AND unlink.identifier_hash IN (sha256(convert_to($30, 'UTF8'))) AND unlink.app_id IN ('', $31)
        AND (unlink.unlinked_at > $32 OR unlink.reported_at > $33)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $34 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $35 AND provider = $36
    AND (identifier = $37
        OR transfer_sub = $38 AND last_seen_at > $39) ORDER BY created_at LIMIT 1),
    $40
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $41 AND provider = $42
    AND (identifier = $43
        OR transfer_sub = $44 AND last_seen_at > $45))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $46 AND own.sub = $47)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $48 AND host.registration = 'open')
) AND NOT (
    NOT EXISTS (SELECT FROM upstream_identities WHERE team_id = $49 AND provider = $50
    AND (identifier = $51
        OR transfer_sub = $52 AND last_seen_at > $53))
    AND NOT EXISTS (
        SELECT FROM upstream_identities
        WHERE team_id = $54 AND sub = $55 AND linked_at IS NULL
    )
    AND EXISTS (
        SELECT FROM login_names WHERE team_id = $56 AND sub = $57
        UNION ALL
        SELECT FROM passwords WHERE team_id = $58 AND sub = $59
        UNION ALL
        SELECT FROM passkeys WHERE team_id = $60 AND sub = $61
    )
)
ON CONFLICT (team_id, provider, identifier) DO UPDATE SET
    transfer_sub = coalesce(excluded.transfer_sub, known.transfer_sub),
    real_user_status = coalesce(
        $62, known.real_user_status, $63
    ),
    form_given_name = CASE WHEN (SELECT counts FROM form) AND $64
        THEN excluded.form_given_name ELSE known.form_given_name END,
    form_family_name = CASE WHEN (SELECT counts FROM form) AND $65
        THEN excluded.form_family_name ELSE known.form_family_name END,
    form_email = CASE WHEN (SELECT counts FROM form)
        THEN coalesce(excluded.form_email, known.form_email) ELSE known.form_email END,
    form_received_at = CASE WHEN (SELECT counts FROM form)
        THEN excluded.form_received_at ELSE known.form_received_at END,
    email = coalesce(excluded.email, known.email),
    is_private_email = CASE WHEN excluded.email IS NULL THEN known.is_private_email
        ELSE excluded.is_private_email END,
    state = 'authorized',
    state_at = CASE WHEN known.state = 'authorized' THEN known.state_at ELSE excluded.state_at END,
    last_seen_at = greatest(excluded.last_seen_at, known.last_seen_at),
    last_login_app_id = CASE WHEN $66 IS NULL OR known.last_login_at > $67 THEN known.last_login_app_id ELSE $68 END,
last_login_at = CASE WHEN $69 IS NULL OR known.last_login_at > $70 THEN known.last_login_at ELSE $71 END
;
-- pippin_app 25 25 25 25 25 25 25 1184 25 25 20 25 25 25 1184 25 16 25 25 25 25 1184 1184 1184 1184 25 1184 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25 25 25 25 25 1184 25 25 25 25 25 25 25 25 20 20 16 16 25 1184 25 25 1184 1184
WITH form (counts) AS (SELECT false)
INSERT INTO upstream_identities AS known (
    team_id, provider, identifier, sub, transfer_sub, real_user_status, form_given_name, form_family_name,
    form_email, form_received_at, email, is_private_email, linked_at, state_at, created_at, last_seen_at,
    last_login_app_id, last_login_at
)
SELECT $1, $2, $3,
    coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $4 AND provider = $5
    AND (identifier = $6
        OR transfer_sub = $7 AND last_seen_at > $8) ORDER BY created_at LIMIT 1),
    $9
), $10, $11,
    $12, $13,
    $14, $15, $16,
    $17,
    (SELECT linked_at FROM upstream_identities WHERE team_id = $18 AND provider = $19
    AND (identifier = $20
        OR transfer_sub = $21 AND last_seen_at > $22) ORDER BY created_at LIMIT 1),
    $23, $24, $25, $26, $27
WHERE NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $28 AND unlink.provider = $29
        AND unlink.identifier_hash IN (sha256(convert_to($30, 'UTF8')), sha256(convert_to('transfer ' || $31, 'UTF8'))) AND unlink.app_id IN ('', $32)
        AND (unlink.unlinked_at > $33 OR unlink.reported_at > $34)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $35 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $36 AND provider = $37
    AND (identifier = $38
        OR transfer_sub = $39 AND last_seen_at > $40) ORDER BY created_at LIMIT 1),
    $41
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $42 AND provider = $43
    AND (identifier = $44
        OR transfer_sub = $45 AND last_seen_at > $46))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $47 AND own.sub = $48)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $49 AND host.registration = 'open')
) AND NOT (
    NOT EXISTS (SELECT FROM upstream_identities WHERE team_id = $50 AND provider = $51
    AND (identifier = $52
        OR transfer_sub = $53 AND last_seen_at > $54))
    AND NOT EXISTS (
        SELECT FROM upstream_identities
        WHERE team_id = $55 AND sub = $56 AND linked_at IS NULL
    )
    AND EXISTS (
        SELECT FROM login_names WHERE team_id = $57 AND sub = $58
        UNION ALL
        SELECT FROM passwords WHERE team_id = $59 AND sub = $60
        UNION ALL
        SELECT FROM passkeys WHERE team_id = $61 AND sub = $62
    )
)
ON CONFLICT (team_id, provider, identifier) DO UPDATE SET
    transfer_sub = coalesce(excluded.transfer_sub, known.transfer_sub),
    real_user_status = coalesce(
        $63, known.real_user_status, $64
    ),
    form_given_name = CASE WHEN (SELECT counts FROM form) AND $65
        THEN excluded.form_given_name ELSE known.form_given_name END,
    form_family_name = CASE WHEN (SELECT counts FROM form) AND $66
        THEN excluded.form_family_name ELSE known.form_family_name END,
    form_email = CASE WHEN (SELECT counts FROM form)
        THEN coalesce(excluded.form_email, known.form_email) ELSE known.form_email END,
    form_received_at = CASE WHEN (SELECT counts FROM form)
        THEN excluded.form_received_at ELSE known.form_received_at END,
    email = coalesce(excluded.email, known.email),
    is_private_email = CASE WHEN excluded.email IS NULL THEN known.is_private_email
        ELSE excluded.is_private_email END,
    state = 'authorized',
    state_at = CASE WHEN known.state = 'authorized' THEN known.state_at ELSE excluded.state_at END,
    last_seen_at = greatest(excluded.last_seen_at, known.last_seen_at),
    last_login_app_id = CASE WHEN $67 IS NULL OR known.last_login_at > $68 THEN known.last_login_app_id ELSE $69 END,
last_login_at = CASE WHEN $70 IS NULL OR known.last_login_at > $71 THEN known.last_login_at ELSE $72 END
;
-- pippin_app 25 25 25 25 25 25 25 1184 25 25 20 25 25 25 1184 25 16 25 25 25 25 1184 1184 1184 1184 25 1184 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25 25 25 25 25 1184 25 25 25 25 25 25 25 25 20 20 16 16 25 1184 25 25 1184 1184
WITH form (counts) AS (SELECT true)
INSERT INTO upstream_identities AS known (
    team_id, provider, identifier, sub, transfer_sub, real_user_status, form_given_name, form_family_name,
    form_email, form_received_at, email, is_private_email, linked_at, state_at, created_at, last_seen_at,
    last_login_app_id, last_login_at
)
SELECT $1, $2, $3,
    coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $4 AND provider = $5
    AND (identifier = $6
        OR transfer_sub = $7 AND last_seen_at > $8) ORDER BY created_at LIMIT 1),
    $9
), $10, $11,
    $12, $13,
    $14, $15, $16,
    $17,
    (SELECT linked_at FROM upstream_identities WHERE team_id = $18 AND provider = $19
    AND (identifier = $20
        OR transfer_sub = $21 AND last_seen_at > $22) ORDER BY created_at LIMIT 1),
    $23, $24, $25, $26, $27
WHERE NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $28 AND unlink.provider = $29
        AND unlink.identifier_hash IN (sha256(convert_to($30, 'UTF8')), sha256(convert_to('transfer ' || $31, 'UTF8'))) AND unlink.app_id IN ('', $32)
        AND (unlink.unlinked_at > $33 OR unlink.reported_at > $34)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $35 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $36 AND provider = $37
    AND (identifier = $38
        OR transfer_sub = $39 AND last_seen_at > $40) ORDER BY created_at LIMIT 1),
    $41
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $42 AND provider = $43
    AND (identifier = $44
        OR transfer_sub = $45 AND last_seen_at > $46))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $47 AND own.sub = $48)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $49 AND host.registration = 'open')
) AND NOT (
    NOT EXISTS (SELECT FROM upstream_identities WHERE team_id = $50 AND provider = $51
    AND (identifier = $52
        OR transfer_sub = $53 AND last_seen_at > $54))
    AND NOT EXISTS (
        SELECT FROM upstream_identities
        WHERE team_id = $55 AND sub = $56 AND linked_at IS NULL
    )
    AND EXISTS (
        SELECT FROM login_names WHERE team_id = $57 AND sub = $58
        UNION ALL
        SELECT FROM passwords WHERE team_id = $59 AND sub = $60
        UNION ALL
        SELECT FROM passkeys WHERE team_id = $61 AND sub = $62
    )
)
ON CONFLICT (team_id, provider, identifier) DO UPDATE SET
    transfer_sub = coalesce(excluded.transfer_sub, known.transfer_sub),
    real_user_status = coalesce(
        $63, known.real_user_status, $64
    ),
    form_given_name = CASE WHEN (SELECT counts FROM form) AND $65
        THEN excluded.form_given_name ELSE known.form_given_name END,
    form_family_name = CASE WHEN (SELECT counts FROM form) AND $66
        THEN excluded.form_family_name ELSE known.form_family_name END,
    form_email = CASE WHEN (SELECT counts FROM form)
        THEN coalesce(excluded.form_email, known.form_email) ELSE known.form_email END,
    form_received_at = CASE WHEN (SELECT counts FROM form)
        THEN excluded.form_received_at ELSE known.form_received_at END,
    email = coalesce(excluded.email, known.email),
    is_private_email = CASE WHEN excluded.email IS NULL THEN known.is_private_email
        ELSE excluded.is_private_email END,
    state = 'authorized',
    state_at = CASE WHEN known.state = 'authorized' THEN known.state_at ELSE excluded.state_at END,
    last_seen_at = greatest(excluded.last_seen_at, known.last_seen_at),
    last_login_app_id = CASE WHEN $67 IS NULL OR known.last_login_at > $68 THEN known.last_login_app_id ELSE $69 END,
last_login_at = CASE WHEN $70 IS NULL OR known.last_login_at > $71 THEN known.last_login_at ELSE $72 END
;
-- pippin_app 25 25 25 25 25 25 25 20
SELECT count(*) FROM (
    SELECT FROM upstream_tokens WHERE team_id = $1 AND problem IS NOT NULL AND ($2 IS NULL OR state = $3)
    AND ($4 IS NULL OR problem = $5)
    AND ($6 IS NULL OR sub = $7)
    LIMIT $8
) AS counted
;
-- pippin_app 25 25 25 25 25 25 25 20
SELECT total.count, page.identifier IS NOT NULL, page.*
FROM (SELECT count(*) FROM service_ids AS s WHERE s.team_id = $1  AND (
    starts_with(lower(s.identifier), $2)
    OR starts_with(lower(s.description), $3)
)) AS total
LEFT JOIN (
    SELECT
        s.identifier, s.description, s.app_id, a.description AS app_description,
        (
            SELECT count(*) FROM service_domains AS d
            WHERE d.team_id = s.team_id AND d.service_id = s.identifier
        ) AS domains,
        (
            SELECT count(*) FROM return_urls AS u
            WHERE u.team_id = s.team_id AND u.service_id = s.identifier
        ) AS return_urls,
        s.created_at
    FROM service_ids AS s
    JOIN app_ids AS a ON a.team_id = s.team_id AND a.identifier = s.app_id
    WHERE s.team_id = $4  AND (
    starts_with(lower(s.identifier), $5)
    OR starts_with(lower(s.description), $6)
) AND s.identifier > $7
    ORDER BY s.identifier
    LIMIT $8
) AS page ON true
ORDER BY page.identifier
;
-- pippin_app 25 25 25 25 25 25 25 25
SELECT 1 FROM refresh_tokens WHERE team_id = $1 AND sub = $2 AND app_id = $3 AND test_sign_in_id IS NOT DISTINCT FROM $4  AND revoked_at IS NULL UNION ALL SELECT 1 FROM authorization_codes WHERE team_id = $5 AND sub = $6 AND app_id = $7 AND test_sign_in_id IS NOT DISTINCT FROM $8 AND redeemed_at IS NULL LIMIT 1
;
-- pippin_app 25 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25
SELECT i.linked_at IS NOT NULL, i.form_given_name, i.form_family_name, i.form_received_at IS NOT NULL,
    u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version, c.app_id IS NOT NULL, c.app_id, c.shares_name, c.shares_email, c.hides_email, c.given_name, c.family_name, c.granted_at,
c.delivered_at, c.forwards_mail, c.provider, c.upstream_email, c.is_upstream_email_verified,
c.is_upstream_email_private
FROM upstream_identities i
JOIN users u ON u.team_id = i.team_id AND u.sub = i.sub
LEFT JOIN consents c ON c.team_id = u.team_id AND c.sub = u.sub AND c.app_id = $1
WHERE i.team_id = $2 AND i.provider = $3 AND i.identifier = $4
    AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $5 AND unlink.provider = $6
        AND unlink.identifier_hash IN (sha256(convert_to($7, 'UTF8'))) AND unlink.app_id IN ('', $8)
        AND (unlink.unlinked_at > $9 OR unlink.reported_at > $10)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $11 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $12 AND provider = $13
    AND (identifier = $14
        OR transfer_sub = $15 AND last_seen_at > $16) ORDER BY created_at LIMIT 1),
    $17
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $18 AND provider = $19
    AND (identifier = $20
        OR transfer_sub = $21 AND last_seen_at > $22))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $23 AND own.sub = $24)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $25 AND host.registration = 'open')
)
;
-- pippin_app 25 25 25 25 25 25 25 25 20
SELECT total.count, page.identifier IS NOT NULL, page.*
FROM (SELECT count(*) FROM service_ids AS s WHERE s.team_id = $1 AND s.app_id = $2 AND (
    starts_with(lower(s.identifier), $3)
    OR starts_with(lower(s.description), $4)
)) AS total
LEFT JOIN (
    SELECT
        s.identifier, s.description, s.app_id, a.description AS app_description,
        (
            SELECT count(*) FROM service_domains AS d
            WHERE d.team_id = s.team_id AND d.service_id = s.identifier
        ) AS domains,
        (
            SELECT count(*) FROM return_urls AS u
            WHERE u.team_id = s.team_id AND u.service_id = s.identifier
        ) AS return_urls,
        s.created_at
    FROM service_ids AS s
    JOIN app_ids AS a ON a.team_id = s.team_id AND a.identifier = s.app_id
    WHERE s.team_id = $5 AND s.app_id = $6 AND (
    starts_with(lower(s.identifier), $7)
    OR starts_with(lower(s.description), $8)
) 
    ORDER BY s.identifier
    LIMIT $9
) AS page ON true
ORDER BY page.identifier
;
-- pippin_app 25 25 25 25 25 25 25 25 25
INSERT INTO mailbox (team_id, mail_id, of_team, message, recipient, subject, body_text, body_html, link)
VALUES (
    $1, $2, $3, $4, $5, $6,
    $7, $8, $9
)
ON CONFLICT DO NOTHING
;
-- pippin_app 25 25 25 25 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25
SELECT i.linked_at IS NOT NULL, i.form_given_name, i.form_family_name, i.form_received_at IS NOT NULL,
    u.sub, u.given_name, u.family_name, u.email, u.is_email_verified, u.is_private_email, u.relay_address, u.created_at,
u.last_sign_in_at, u.suspended_at, u.credentials_version, c.app_id IS NOT NULL, c.app_id, c.shares_name, c.shares_email, c.hides_email, c.given_name, c.family_name, c.granted_at,
c.delivered_at, c.forwards_mail, c.provider, c.upstream_email, c.is_upstream_email_verified,
c.is_upstream_email_private
FROM upstream_identities i
JOIN users u ON u.team_id = i.team_id AND u.sub = i.sub
LEFT JOIN consents c ON c.team_id = u.team_id AND c.sub = u.sub AND c.app_id = $1
WHERE i.team_id = $2 AND i.provider = $3 AND i.identifier = $4
    AND NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $5 AND unlink.provider = $6
        AND unlink.identifier_hash IN (sha256(convert_to($7, 'UTF8')), sha256(convert_to('transfer ' || $8, 'UTF8'))) AND unlink.app_id IN ('', $9)
        AND (unlink.unlinked_at > $10 OR unlink.reported_at > $11)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $12 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $13 AND provider = $14
    AND (identifier = $15
        OR transfer_sub = $16 AND last_seen_at > $17) ORDER BY created_at LIMIT 1),
    $18
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $19 AND provider = $20
    AND (identifier = $21
        OR transfer_sub = $22 AND last_seen_at > $23))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $24 AND own.sub = $25)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $26 AND host.registration = 'open')
)
;
-- pippin_app 25 25 25 25 25 25 25 25 25 16 25 25 25 25
WITH login AS (
    INSERT INTO login_names (team_id, login, sub)
    SELECT $1, $2, $3 WHERE $4 IS NOT NULL
    ON CONFLICT (team_id, login) DO NOTHING
    RETURNING sub
), person AS (
    INSERT INTO users (team_id, sub, given_name, family_name, email, is_email_verified)
    SELECT $5, $6, $7, $8, $9,
        $10
    WHERE $11 IS NULL OR EXISTS (SELECT FROM login)
    RETURNING sub
), password AS (
    INSERT INTO passwords (team_id, sub, hash)
    SELECT $12, sub, $13 FROM person WHERE $14 IS NOT NULL
)
SELECT sub FROM person
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25
INSERT INTO upstream_unlinks AS known (team_id, provider, identifier_hash, app_id, unlinked_at)
SELECT $1, provider, hash, $2, clock_timestamp()
FROM (
    SELECT provider, sha256(convert_to(identifier, 'UTF8')) AS hash FROM upstream_identities WHERE team_id = $3 AND sub = $4 AND ($5 IS NULL OR provider = $6)
    UNION
    SELECT provider, sha256(convert_to('transfer ' || transfer_sub, 'UTF8')) FROM upstream_identities
    WHERE team_id = $7 AND sub = $8 AND ($9 IS NULL OR provider = $10) AND transfer_sub IS NOT NULL
) AS names ORDER BY hash
ON CONFLICT (team_id, provider, identifier_hash, app_id) DO UPDATE
    SET unlinked_at = excluded.unlinked_at, recorded_at = excluded.recorded_at
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 1184
WITH person AS (
    SELECT transfer_subs.transfer_sub, consents.shares_name, consents.shares_email, consents.hides_email,
        consents.given_name, consents.family_name,
        CASE WHEN consents.shares_email AND NOT consents.hides_email THEN
            CASE WHEN consents.provider IS NULL THEN users.email ELSE consents.upstream_email END
        END AS email,
        CASE WHEN consents.provider IS NULL THEN users.is_email_verified
            ELSE consents.is_upstream_email_verified END AS is_email_verified
    FROM users
    JOIN consents ON consents.team_id = $1 AND consents.sub = users.sub
        AND consents.app_id = $2
    JOIN transfer_subs ON transfer_subs.team_id = $3 AND transfer_subs.sub = users.sub
        AND transfer_subs.target_team = $4
    WHERE users.team_id = $5 AND users.sub = $6 AND pippin_team_is_open($7)
), told AS (
    INSERT INTO transferred_people (
        team_id, transfer_sub, app_id, from_team, shares_name, shares_email, hides_email, given_name,
        family_name, email, is_email_verified, expires_at
    )
    SELECT $8, transfer_sub, $9, $10, shares_name, shares_email, hides_email,
        given_name, family_name, email, is_email_verified, $11
    FROM person
    ON CONFLICT DO NOTHING
)
SELECT transfer_sub FROM person
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 1184 25 25 20 25 25 25 1184 25 16 25 25 25 25 1184 1184 1184 1184 25 1184 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25 25 25 25 25 1184 25 25 25 25 25 25 25 25 20 20 16 16 25 1184 25 25 1184 1184
WITH form (counts) AS (SELECT NOT EXISTS (
    SELECT FROM consents
    WHERE team_id = $1 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $2 AND provider = $3 AND identifier = $4) AND shares_name AND delivered_at IS NOT NULL
))
INSERT INTO upstream_identities AS known (
    team_id, provider, identifier, sub, transfer_sub, real_user_status, form_given_name, form_family_name,
    form_email, form_received_at, email, is_private_email, linked_at, state_at, created_at, last_seen_at,
    last_login_app_id, last_login_at
)
SELECT $5, $6, $7,
    coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $8 AND provider = $9
    AND (identifier = $10
        OR transfer_sub = $11 AND last_seen_at > $12) ORDER BY created_at LIMIT 1),
    $13
), $14, $15,
    $16, $17,
    $18, $19, $20,
    $21,
    (SELECT linked_at FROM upstream_identities WHERE team_id = $22 AND provider = $23
    AND (identifier = $24
        OR transfer_sub = $25 AND last_seen_at > $26) ORDER BY created_at LIMIT 1),
    $27, $28, $29, $30, $31
WHERE NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $32 AND unlink.provider = $33
        AND unlink.identifier_hash IN (sha256(convert_to($34, 'UTF8'))) AND unlink.app_id IN ('', $35)
        AND (unlink.unlinked_at > $36 OR unlink.reported_at > $37)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $38 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $39 AND provider = $40
    AND (identifier = $41
        OR transfer_sub = $42 AND last_seen_at > $43) ORDER BY created_at LIMIT 1),
    $44
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $45 AND provider = $46
    AND (identifier = $47
        OR transfer_sub = $48 AND last_seen_at > $49))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $50 AND own.sub = $51)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $52 AND host.registration = 'open')
) AND NOT (
    NOT EXISTS (SELECT FROM upstream_identities WHERE team_id = $53 AND provider = $54
    AND (identifier = $55
        OR transfer_sub = $56 AND last_seen_at > $57))
    AND NOT EXISTS (
        SELECT FROM upstream_identities
        WHERE team_id = $58 AND sub = $59 AND linked_at IS NULL
    )
    AND EXISTS (
        SELECT FROM login_names WHERE team_id = $60 AND sub = $61
        UNION ALL
        SELECT FROM passwords WHERE team_id = $62 AND sub = $63
        UNION ALL
        SELECT FROM passkeys WHERE team_id = $64 AND sub = $65
    )
)
ON CONFLICT (team_id, provider, identifier) DO UPDATE SET
    transfer_sub = coalesce(excluded.transfer_sub, known.transfer_sub),
    real_user_status = coalesce(
        $66, known.real_user_status, $67
    ),
    form_given_name = CASE WHEN (SELECT counts FROM form) AND $68
        THEN excluded.form_given_name ELSE known.form_given_name END,
    form_family_name = CASE WHEN (SELECT counts FROM form) AND $69
        THEN excluded.form_family_name ELSE known.form_family_name END,
    form_email = CASE WHEN (SELECT counts FROM form)
        THEN coalesce(excluded.form_email, known.form_email) ELSE known.form_email END,
    form_received_at = CASE WHEN (SELECT counts FROM form)
        THEN excluded.form_received_at ELSE known.form_received_at END,
    email = coalesce(excluded.email, known.email),
    is_private_email = CASE WHEN excluded.email IS NULL THEN known.is_private_email
        ELSE excluded.is_private_email END,
    state = 'authorized',
    state_at = CASE WHEN known.state = 'authorized' THEN known.state_at ELSE excluded.state_at END,
    last_seen_at = greatest(excluded.last_seen_at, known.last_seen_at),
    last_login_app_id = CASE WHEN $70 IS NULL OR known.last_login_at > $71 THEN known.last_login_app_id ELSE $72 END,
last_login_at = CASE WHEN $73 IS NULL OR known.last_login_at > $74 THEN known.last_login_at ELSE $75 END
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 1184 25 25 20 25 25 25 1184 25 16 25 25 25 25 1184 1184 1184 1184 25 1184 25 25 25 25 25 1184 1184 25 25 25 25 25 1184 25 25 25 25 25 1184 25 25 25 25 25 25 25 1184 25 25 25 25 25 25 25 25 20 20 16 16 25 1184 25 25 1184 1184
WITH form (counts) AS (SELECT NOT EXISTS (
    SELECT FROM consents
    WHERE team_id = $1 AND sub = (SELECT sub FROM upstream_identities
    WHERE team_id = $2 AND provider = $3 AND identifier = $4) AND shares_name AND delivered_at IS NOT NULL
))
INSERT INTO upstream_identities AS known (
    team_id, provider, identifier, sub, transfer_sub, real_user_status, form_given_name, form_family_name,
    form_email, form_received_at, email, is_private_email, linked_at, state_at, created_at, last_seen_at,
    last_login_app_id, last_login_at
)
SELECT $5, $6, $7,
    coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $8 AND provider = $9
    AND (identifier = $10
        OR transfer_sub = $11 AND last_seen_at > $12) ORDER BY created_at LIMIT 1),
    $13
), $14, $15,
    $16, $17,
    $18, $19, $20,
    $21,
    (SELECT linked_at FROM upstream_identities WHERE team_id = $22 AND provider = $23
    AND (identifier = $24
        OR transfer_sub = $25 AND last_seen_at > $26) ORDER BY created_at LIMIT 1),
    $27, $28, $29, $30, $31
WHERE NOT EXISTS (
    SELECT FROM upstream_unlinks AS unlink
    WHERE unlink.team_id = $32 AND unlink.provider = $33
        AND unlink.identifier_hash IN (sha256(convert_to($34, 'UTF8')), sha256(convert_to('transfer ' || $35, 'UTF8'))) AND unlink.app_id IN ('', $36)
        AND (unlink.unlinked_at > $37 OR unlink.reported_at > $38)
) AND NOT EXISTS (
    SELECT FROM users AS held
    WHERE held.team_id = $39 AND held.sub = coalesce(
    (SELECT sub FROM upstream_identities WHERE team_id = $40 AND provider = $41
    AND (identifier = $42
        OR transfer_sub = $43 AND last_seen_at > $44) ORDER BY created_at LIMIT 1),
    $45
) AND held.suspended_at IS NOT NULL
) AND (
    EXISTS (SELECT FROM upstream_identities WHERE team_id = $46 AND provider = $47
    AND (identifier = $48
        OR transfer_sub = $49 AND last_seen_at > $50))
    OR EXISTS (SELECT FROM users AS own WHERE own.team_id = $51 AND own.sub = $52)
    OR EXISTS (SELECT FROM teams AS host WHERE host.team_id = $53 AND host.registration = 'open')
) AND NOT (
    NOT EXISTS (SELECT FROM upstream_identities WHERE team_id = $54 AND provider = $55
    AND (identifier = $56
        OR transfer_sub = $57 AND last_seen_at > $58))
    AND NOT EXISTS (
        SELECT FROM upstream_identities
        WHERE team_id = $59 AND sub = $60 AND linked_at IS NULL
    )
    AND EXISTS (
        SELECT FROM login_names WHERE team_id = $61 AND sub = $62
        UNION ALL
        SELECT FROM passwords WHERE team_id = $63 AND sub = $64
        UNION ALL
        SELECT FROM passkeys WHERE team_id = $65 AND sub = $66
    )
)
ON CONFLICT (team_id, provider, identifier) DO UPDATE SET
    transfer_sub = coalesce(excluded.transfer_sub, known.transfer_sub),
    real_user_status = coalesce(
        $67, known.real_user_status, $68
    ),
    form_given_name = CASE WHEN (SELECT counts FROM form) AND $69
        THEN excluded.form_given_name ELSE known.form_given_name END,
    form_family_name = CASE WHEN (SELECT counts FROM form) AND $70
        THEN excluded.form_family_name ELSE known.form_family_name END,
    form_email = CASE WHEN (SELECT counts FROM form)
        THEN coalesce(excluded.form_email, known.form_email) ELSE known.form_email END,
    form_received_at = CASE WHEN (SELECT counts FROM form)
        THEN excluded.form_received_at ELSE known.form_received_at END,
    email = coalesce(excluded.email, known.email),
    is_private_email = CASE WHEN excluded.email IS NULL THEN known.is_private_email
        ELSE excluded.is_private_email END,
    state = 'authorized',
    state_at = CASE WHEN known.state = 'authorized' THEN known.state_at ELSE excluded.state_at END,
    last_seen_at = greatest(excluded.last_seen_at, known.last_seen_at),
    last_login_app_id = CASE WHEN $71 IS NULL OR known.last_login_at > $72 THEN known.last_login_app_id ELSE $73 END,
last_login_at = CASE WHEN $74 IS NULL OR known.last_login_at > $75 THEN known.last_login_at ELSE $76 END
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25
SELECT 1 FROM refresh_tokens WHERE team_id = $1 AND sub = $2 AND app_id = $3  AND revoked_at IS NULL UNION ALL SELECT 1 FROM authorization_codes WHERE team_id = $4 AND sub = $5 AND app_id = $6 AND redeemed_at IS NULL UNION ALL SELECT 1 FROM consents WHERE team_id = $7 AND sub = $8 AND app_id = $9  UNION ALL SELECT 1 FROM upstream_announcements WHERE team_id = $10 AND sub = $11 AND app_id = $12 LIMIT 1
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $1, clock_timestamp(), $2, $3, $4, $5,
    $6, $7, NULLIF($8, ''), NULLIF($9, ''),
    NULLIF($10, ''), $11::jsonb, $12::jsonb,
    $13, $14

;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $1, clock_timestamp(), $2, $3, $4, $5,
    $6, $7, NULLIF($8, ''), NULLIF($9, ''),
    NULLIF($10, ''), $11::jsonb, $12::jsonb,
    $13, $14
 RETURNING at, event_id
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $1, clock_timestamp(), $2, $3, $4, $5,
    $6, $7, NULLIF($8, ''), NULLIF($9, ''),
    NULLIF($10, ''), $11::jsonb, $12::jsonb,
    $13, $14
WHERE false
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 25 25 17 25 17 25 25 25 25 16 16 25 25 1184 1184
WITH audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $1, clock_timestamp(), $2, $3, $4, $5,
    $6, $7, NULLIF($8, ''), NULLIF($9, ''),
    NULLIF($10, ''), $11::jsonb, $12::jsonb,
    $13, $14

)
INSERT INTO test_sign_ins (
    team_id, test_sign_in_id, service_id, session_hash, key_id, private_key_sealed, public_key_pem,
    return_url, nonce, state, wants_name, wants_email, response_mode, response_type, created_at,
    expires_at
) VALUES (
    $15, $16, $17, $18, $19, $20,
    $21, $22, $23, $24, $25,
    $26, $27, $28,
    $29, $30
)
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH asked AS (
    INSERT INTO audit_chains (team_id, verification_asked_at) VALUES ($1, now())
    ON CONFLICT (team_id) DO UPDATE SET verification_asked_at = now()
)
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $2, clock_timestamp(), $3, $4, $5, $6,
    $7, $8, NULLIF($9, ''), NULLIF($10, ''),
    NULLIF($11, ''), $12::jsonb, $13::jsonb,
    $14, $15

;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH gone AS (DELETE FROM team_logos WHERE team_id = $1 RETURNING team_id),
    audit AS (INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $2, clock_timestamp(), $3, $4, $5, $6,
    $7, $8, NULLIF($9, ''), NULLIF($10, ''),
    NULLIF($11, ''), $12::jsonb, $13::jsonb,
    $14, $15
FROM gone)
SELECT team_id FROM gone
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH changed AS (UPDATE jobs
SET state = 'pending', attempts = 0, due_at = now(), finished_at = NULL, keep_until = NULL
WHERE team_id = $1 AND job_id = $2 AND state IN ('pending', 'dead') AND worker IS NULL
RETURNING job_id), audit AS (INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $3, clock_timestamp(), $4, $5, $6, $7,
    $8, $9, NULLIF($10, ''), NULLIF($11, ''),
    NULLIF($12, ''), $13::jsonb, $14::jsonb,
    $15, $16
FROM changed)
SELECT job_id FROM changed
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH first AS (
    INSERT INTO redeeming_clients (team_id, client_id) VALUES ($1, $2)
    ON CONFLICT DO NOTHING
    RETURNING client_id
)
INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $3, clock_timestamp(), $4, $5, $6, $7,
    $8, $9, NULLIF($10, ''), NULLIF($11, ''),
    NULLIF($12, ''), $13::jsonb, $14::jsonb,
    $15, $16
FROM first
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH lifted AS (
    UPDATE users SET suspended_at = NULL
    WHERE team_id = $1 AND sub = $2 AND suspended_at IS NOT NULL
    RETURNING sub
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $3, clock_timestamp(), $4, $5, $6, $7,
    $8, $9, NULLIF($10, ''), NULLIF($11, ''),
    NULLIF($12, ''), $13::jsonb, $14::jsonb,
    $15, $16
FROM lifted
)
SELECT sub FROM lifted
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 25 25 25 20
WITH tokens AS (
    UPDATE refresh_tokens SET revoked_at = clock_timestamp() WHERE team_id = $1 AND sub = $2  AND revoked_at IS NULL
    RETURNING token_id, sub, app_id, test_sign_in_id, provider, authenticated_at
), ended AS (SELECT DISTINCT sub FROM tokens  ), audit AS (INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $3, clock_timestamp(), $4, $5, $6, $7,
    $8, $9, NULLIF($10, ''), NULLIF($11, ''),
    NULLIF($12, ''), $13::jsonb, $14::jsonb,
    $15, $16
FROM ended), upstream_ended AS (
    UPDATE upstream_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
    WHERE team_id = $17 AND sub = $18 AND state = 'live' AND true
    RETURNING token_id
), upstream_jobs AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
SELECT $19, pippin_job_id(), $20, $21, payload, clock_timestamp()
FROM (SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM upstream_ended) AS wanted (payload)
) SELECT (SELECT count(*) FROM tokens) FROM ended
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 25 25 25 25 25 25 20 25 25 25 25 20 25 25 25 25 20 25 25 25 25 25 25 25 25 20
WITH person AS (
    SELECT * FROM users WHERE team_id = $1 AND sub = $2
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $3, clock_timestamp(), $4, $5, $6, $7,
    $8, $9, NULLIF($10, ''), NULLIF($11, ''),
    NULLIF($12, ''), $13::jsonb, $14::jsonb,
    $15, $16
FROM person
)
SELECT jsonb_pretty(jsonb_build_object(
    'exportedAt', now(), 'teamID', $17, 'user', jsonb_build_object(
    'sub', sub, 'givenName', given_name, 'familyName', family_name, 'email', email,
    'isEmailVerified', is_email_verified, 'relayAddress', relay_address, 'createdAt', created_at,
    'lastSignInAt', last_sign_in_at, 'suspendedAt', suspended_at,
    'loginNames', (
        SELECT coalesce(jsonb_agg(login ORDER BY login), '[]') FROM login_names
        WHERE team_id = $18 AND sub = $19
    ),
    'passwordChangedAt', (
        SELECT changed_at FROM passwords WHERE team_id = $20 AND sub = $21
    )
),
    'providers', (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'provider', provider, 'identifier', identifier, 'transferSub', transfer_sub,
        'realUserStatus', real_user_status, 'givenName', form_given_name, 'familyName', form_family_name,
        'email', form_email, 'receivedAt', form_received_at, 'state', state, 'stateAt', state_at,
        'createdAt', created_at, 'lastSeenAt', last_seen_at, 'linkedAt', linked_at, 'signedEmail', email,
        'tokens', (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                'clientID', client_id, 'appID', app_id, 'state', token.state, 'problem', problem,
                'createdAt', token.created_at, 'validatedAt', validated_at, 'settledAt', settled_at
            ) ORDER BY token.created_at), '[]')
            FROM (
                SELECT * FROM upstream_tokens
                WHERE team_id = $22 AND sub = $23 AND provider = upstream_identities.provider
                ORDER BY created_at DESC LIMIT $24
            ) AS token
        )
    ) ORDER BY created_at), '[]')
    FROM upstream_identities WHERE team_id = $25 AND sub = $26
),
    'unconfirmedNames', (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'provider', provider, 'appID', app_id, 'givenName', form_given_name,
        'familyName', form_family_name, 'email', form_email, 'receivedAt', announced_at
    ) ORDER BY announced_at), '[]')
    FROM (
        SELECT * FROM upstream_announcements
        WHERE team_id = $27 AND sub = $28 AND form_given_name IS NOT NULL
        ORDER BY announced_at DESC LIMIT $29
    ) AS recent
),
    'consents', (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'appID', app_id, 'sharesName', shares_name, 'sharesEmail', shares_email,
        'hidesEmail', hides_email, 'givenName', given_name, 'familyName', family_name,
        'grantedAt', granted_at, 'ip', ip, 'deliveredAt', delivered_at, 'provider', provider,
        'providerEmail', upstream_email
    ) ORDER BY granted_at), '[]')
    FROM consents WHERE team_id = $30 AND sub = $31
), 'sessions', (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'createdAt', created_at, 'lastSeenAt', last_seen_at, 'expiresAt', expires_at, 'ip', ip,
        'userAgent', user_agent
    ) ORDER BY created_at), '[]')
    FROM (
        SELECT * FROM sessions WHERE team_id = $32 AND sub = $33
        ORDER BY created_at DESC LIMIT $34
    ) AS recent
),
    'secondFactors', (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'kind', kind, 'name', name, 'addedAt', added_at, 'lastUsedAt', last_used_at
    ) ORDER BY added_at, kind), '[]')
    FROM (
        SELECT 'totp' AS kind, NULL AS name, confirmed_at AS added_at, last_used_at FROM totp_secrets
        WHERE team_id = $35 AND sub = $36
        UNION ALL
        SELECT 'passkey', name, created_at, last_used_at FROM passkeys
        WHERE team_id = $37 AND sub = $38
        UNION ALL
        SELECT 'recovery_code', NULL, created_at, used_at FROM recovery_codes
        WHERE team_id = $39 AND sub = $40
    ) AS factors
),
    'refreshTokens', (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'clientID', client_id, 'appID', app_id, 'createdAt', created_at,
        'lastUsedAt', last_used_at, 'revokedAt', revoked_at
    ) ORDER BY created_at), '[]')
    FROM (
        SELECT * FROM refresh_tokens WHERE team_id = $41 AND sub = $42
        ORDER BY created_at DESC LIMIT $43
    ) AS recent
)
))
FROM person
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25
SELECT name, mode = 'sandbox', closed_at IS NOT NULL, accent_colour, privacy_url, terms_url,
    (SELECT digest FROM team_logos WHERE team_id = $1), registration, identity_sources,
    second_factor, apple_keys,
    coalesce((SELECT version FROM registry_versions WHERE team_id = $2), 0),
    (SELECT coalesce(json_agg(json_build_object(
        'id', identifier, 'enabled', is_enabled, 'issuer', issuer,
        'group', coalesce(primary_identifier, identifier), 'description', description
    )), '[]')::text FROM app_ids WHERE team_id = $3),
    (SELECT coalesce(json_agg(json_build_object(
        'id', identifier, 'app', app_id, 'description', description, 'issuer', issuer,
        'booleans', booleans, 'pkce', requires_pkce,
        'urls', (SELECT coalesce(json_agg(url ORDER BY rank), '[]') FROM return_urls
            WHERE team_id = $4 AND service_id = identifier),
        'verified', CASE WHEN requires_verified_domains THEN (
            SELECT coalesce(json_agg(d.domain), '[]')
            FROM service_domains s JOIN domains d ON d.team_id = s.team_id AND d.domain = s.domain
            WHERE s.team_id = $5 AND s.service_id = identifier AND d.is_verified
        ) END
    )), '[]')::text FROM service_ids WHERE team_id = $6),
    (SELECT coalesce(json_agg(json_build_object(
        'id', key_id, 'app', app_id, 'pem', public_key_pem
    )), '[]')::text FROM keys WHERE team_id = $7 AND rank IS NOT NULL),
    id_token_seconds,
    (SELECT coalesce(json_agg(json_build_object(
        'client', client_id, 'at', (extract(epoch FROM not_before) * 1000000)::bigint
    )), '[]')::text FROM not_befores
        WHERE team_id = $8 AND client_deleted_at IS NULL AND (
            client_id = $9 OR client_id IN (
                SELECT identifier FROM client_identifiers WHERE team_id = $10
            )
        )),
    (SELECT coalesce(json_agg(json_build_object(
        'app', moves.app_id, 'from', moves.team_id, 'to', moves.target_team,
        'at', (extract(epoch FROM moves.settled_at) * 1000000)::bigint
    )), '[]')::text FROM app_ids CROSS JOIN LATERAL (
        (
            SELECT app_id, team_id, target_team, settled_at FROM app_transfers
            WHERE team_id = $11 AND app_id = identifier AND state = 'accepted'
                AND settled_at > now() - interval '60 days'
            ORDER BY settled_at DESC LIMIT 1
        )
        UNION ALL
        (
            SELECT app_id, team_id, target_team, settled_at FROM app_transfers
            WHERE target_team = $12 AND app_id = identifier AND state = 'accepted'
                AND settled_at > now() - interval '60 days'
            ORDER BY settled_at DESC LIMIT 1
        )
    ) AS moves WHERE app_ids.team_id = $13),
    (SELECT coalesce(json_agg(json_build_object(
        'app', c.app_id, 'services', c.services_id, 'team', k.apple_team_id, 'key', c.key_id,
        'sealed', encode(k.private_key_sealed, 'hex')
    )), '[]')::text
        FROM apple_connections c JOIN apple_keys k ON k.team_id = c.team_id AND k.key_id = c.key_id
        WHERE c.team_id = $14)
FROM teams
WHERE team_id = $15 AND deleted_at IS NULL
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009
WITH finished AS (
    UPDATE test_sign_ins SET steps = $1::jsonb
    WHERE team_id = $2 AND test_sign_in_id = $3 AND steps = '[]'
    RETURNING test_sign_in_id
), audit AS (
    INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $4, clock_timestamp(), $5, $6, $7, $8,
    $9, $10, NULLIF($11, ''), NULLIF($12, ''),
    NULLIF($13, ''), $14::jsonb, $15::jsonb,
    $16, $17
FROM finished
)
SELECT test_sign_in_id FROM finished
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 17 1009 25 25 25 25 16 25 25 25 25 25 25 20 25 25 20 25 25 25 25 25 20
WITH unlink AS (INSERT INTO upstream_unlinks AS known (team_id, provider, identifier_hash, app_id, unlinked_at)
SELECT $1, provider, hash, $2, clock_timestamp()
FROM (
    SELECT provider, sha256(convert_to(identifier, 'UTF8')) AS hash FROM upstream_identities WHERE team_id = $3 AND sub = $4 AND ($5 IS NULL OR provider = $6)
    UNION
    SELECT provider, sha256(convert_to('transfer ' || transfer_sub, 'UTF8')) FROM upstream_identities
    WHERE team_id = $7 AND sub = $8 AND ($9 IS NULL OR provider = $10) AND transfer_sub IS NOT NULL
) AS names ORDER BY hash
ON CONFLICT (team_id, provider, identifier_hash, app_id) DO UPDATE
    SET unlinked_at = excluded.unlinked_at, recorded_at = excluded.recorded_at), consent AS (DELETE FROM consents WHERE team_id = $11 AND sub = $12 AND app_id = $13  RETURNING sub), tokens AS (
    UPDATE refresh_tokens SET revoked_at = clock_timestamp() WHERE team_id = $14 AND sub = $15 AND app_id = $16  AND revoked_at IS NULL
    RETURNING token_id, sub, app_id, test_sign_in_id, provider, authenticated_at
), ended AS (SELECT DISTINCT sub FROM tokens UNION SELECT sub FROM consent ), audit AS (INSERT INTO audit_events (
    team_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
    request_id, before, after, ip_key, words
)
SELECT
    $17, clock_timestamp(), $18, $19, $20, $21,
    $22, $23, NULLIF($24, ''), NULLIF($25, ''),
    NULLIF($26, ''), $27::jsonb, $28::jsonb,
    $29, $30
FROM ended), notification AS (
    INSERT INTO notifications (team_id, notification_id, app_id, type, sub, event_time, is_test, job_id)
    SELECT $31, $32, identifier, $33, $34, clock_timestamp(), $35, $36
    FROM app_ids
    WHERE team_id = $37 AND identifier = $38 AND notification_url IS NOT NULL
        AND EXISTS (SELECT FROM ended)
    RETURNING notification_id
), notification_job AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotency_key, due_at)
SELECT $39, $40, $41, $42, $43::jsonb, $44,
    clock_timestamp() + $45 * interval '1 microsecond'
FROM notification
ON CONFLICT DO NOTHING
), upstream_ended AS (
    UPDATE upstream_tokens SET state = 'ending', problem = NULL, problem_at = NULL, settled_at = NULL
    WHERE team_id = $46 AND sub = $47 AND state = 'live' AND app_id = $48 AND EXISTS (SELECT FROM ended)
    RETURNING token_id
), upstream_jobs AS (
    INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
SELECT $49, pippin_job_id(), $50, $51, payload, clock_timestamp()
FROM (SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM upstream_ended) AS wanted (payload)
) SELECT (SELECT count(*) FROM tokens) FROM ended
;
-- pippin_app 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 25 1184 25 25
SELECT suspended_at IS NOT NULL,
    (
        SELECT state FROM upstream_identities AS identity
        WHERE team_id = $1 AND sub = $2
            AND (
    linked_at IS NULL OR EXISTS (
        SELECT FROM consents
        WHERE team_id = $3 AND sub = $4 AND app_id = $5
            AND consents.provider = identity.provider
    )
)
        ORDER BY last_seen_at DESC LIMIT 1
    ),
    EXISTS (
        SELECT FROM upstream_tokens
        WHERE team_id = $6 AND sub = $7 AND app_id = $8 AND state = 'live'
    ),
    EXISTS (
        SELECT FROM consents
        WHERE team_id = $9 AND sub = $10 AND app_id = $11
    ),
    EXISTS (
        SELECT FROM refresh_tokens
        WHERE team_id = $12 AND sub = $13 AND app_id = $14 AND test_sign_in_id IS NULL
        UNION ALL
        SELECT FROM upstream_tokens
        WHERE team_id = $15 AND sub = $16 AND app_id = $17
    ),
    coalesce((
        SELECT went FROM (
            (
                SELECT true AS went, settled_at FROM app_transfers
                WHERE team_id = $18 AND app_id = $19 AND state = 'accepted'
                ORDER BY settled_at DESC LIMIT 1
            )
            UNION ALL
            (
                SELECT false, settled_at FROM app_transfers
                WHERE target_team = $20 AND app_id = $21 AND state = 'accepted'
                ORDER BY settled_at DESC LIMIT 1
            )
        ) AS moves
        ORDER BY settled_at DESC LIMIT 1
    ), false),
    (
        SELECT real_user_status FROM upstream_identities AS identity
        WHERE team_id = $22 AND sub = $23 AND real_user_status IS NOT NULL AND (
    linked_at IS NULL OR EXISTS (
        SELECT FROM consents
        WHERE team_id = $24 AND sub = $25 AND app_id = $26
            AND consents.provider = identity.provider
    )
)
        ORDER BY last_seen_at DESC LIMIT 1
    ),
    (
        SELECT transfer_sub FROM transferred_people
        WHERE team_id = $27 AND sub = $28 AND app_id = $29 AND expires_at > $30
        ORDER BY expires_at DESC LIMIT 1
    )
FROM users
WHERE team_id = $31 AND sub = $32
;
-- pippin_system
SELECT * FROM pippin_shape_faults() LIMIT 1
;
-- pippin_system
SELECT 1
;
-- pippin_system
SELECT CASE WHEN current_setting('transaction_read_only') = 'on' THEN 'database_read_only' END,
    pg_backend_pid(), pg_postmaster_start_time()
;
-- pippin_system
SELECT DISTINCT team_id FROM audit_unsealed
;
-- pippin_system
SELECT c.team_id FROM audit_chains c JOIN teams t ON t.team_id = c.team_id
WHERE c.oldest_at < now() - make_interval(days => t.audit_retention_days)
;
-- pippin_system
SELECT clock_timestamp(), pg_postmaster_start_time(), current_setting('transaction_read_only') = 'on',
current_user = 'pippin_system',
row_security_active('teams') AND NOT EXISTS (
    SELECT FROM pg_roles WHERE rolname IN ('pippin_app', 'pippin_system') AND (rolbypassrls OR rolsuper)
),
(SELECT COALESCE(max(number), 0) FROM pippin_migrations)::bigint,
(SELECT COALESCE(max(runs_with), 0) FROM pippin_migrations)::bigint
;
-- pippin_system
SELECT current_setting('server_version'), pg_database_size(current_database()),
    (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()),
    current_setting('max_connections')::bigint, clock_timestamp(),
    COALESCE((SELECT name FROM pippin_migrations ORDER BY number DESC LIMIT 1), '')
;
-- pippin_system
SELECT name FROM retention ORDER BY name
;
-- pippin_system
SELECT payload FROM jobs
;
-- pippin_system
SELECT pippin_drop_partitions()
;
-- pippin_system
SELECT pippin_keep_traces()
;
-- pippin_system
SELECT pippin_make_partitions()
;
-- pippin_system
SELECT team_id FROM audit_chains
WHERE sealed_at IS NOT NULL AND (verified_at IS NULL OR verified_at < now() - interval '1 hour')
ORDER BY verified_at NULLS FIRST, team_id
;
-- pippin_system
SELECT team_id FROM audit_chains WHERE verification_asked_at IS NOT NULL
;
-- pippin_system
SELECT team_id FROM teams
WHERE emptied_at IS NULL AND (deleted_at IS NOT NULL OR deletion_due_at IS NOT NULL) AND closed_at IS NOT NULL AND deleted_at IS NULL
ORDER BY team_id
;
-- pippin_system
SELECT team_id FROM teams WHERE deleted_at IS NULL AND NOT is_system ORDER BY team_id
;
-- pippin_system
UPDATE jobs SET state = 'cancelled'
;
-- pippin_system 1009
SELECT clock_timestamp(), pg_postmaster_start_time(), current_setting('transaction_read_only') = 'on',
current_user = 'pippin_system',
row_security_active('teams') AND NOT EXISTS (
    SELECT FROM pg_roles WHERE rolname IN ('pippin_app', 'pippin_system') AND (rolbypassrls OR rolsuper)
),
(SELECT COALESCE(max(number), 0) FROM pippin_migrations)::bigint,
(SELECT COALESCE(max(runs_with), 0) FROM pippin_migrations)::bigint, team_id, version
FROM (VALUES (true)) AS one
LEFT JOIN registry_versions
    ON changed_at > now() - interval '1 minute' OR team_id = ANY ($1)
;
-- pippin_system 1009
SELECT t.team_id FROM teams t
WHERE t.team_id = ANY ($1) AND coalesce(t.closed_at, t.deleted_at) IS NULL
    AND NOT EXISTS (SELECT FROM memberships m WHERE m.team_id = t.team_id)
;
-- pippin_system 1009
SELECT team_id, name FROM teams WHERE team_id = ANY ($1)
;
-- pippin_system 1009 1009 25
UPDATE jobs j SET due_at = now(), worker = NULL, attempts = attempts - 1
FROM unnest($1, $2) AS mine (team_id, job_id)
WHERE j.team_id = mine.team_id AND j.job_id = mine.job_id
    AND j.state = 'pending' AND j.worker = $3
;
-- pippin_system 1184
SELECT team_id FROM teams
WHERE emptied_at IS NULL AND (deleted_at IS NOT NULL OR deletion_due_at IS NOT NULL) AND closed_at IS NULL AND deletion_due_at <= $1 AND NOT is_system
ORDER BY team_id
;
-- pippin_system 1184
SELECT team_id FROM teams
WHERE emptied_at IS NULL AND (deleted_at IS NOT NULL OR deletion_due_at IS NOT NULL) AND deleted_at <= $1
ORDER BY team_id
;
-- pippin_system 1184 1184 25 20
SELECT (
    SELECT count(*) FROM teams t WHERE NOT t.is_system
), t.team_id IS NOT NULL, t.team_id, t.name, t.mode, t.identity_sources, t.second_factor, t.apple_keys, t.registration, t.id_token_seconds,
t.requires_verified_domains, t.account_delete_event, t.audit_retention_days, t.accent_colour,
t.privacy_url, t.terms_url, t.is_system, t.version, t.created_at, t.deletion_due_at, t.closed_at,
t.deleted_at
FROM (VALUES (1)) AS one (row) LEFT JOIN (
    SELECT * FROM teams t WHERE NOT t.is_system AND t.created_at <= $1
AND (t.created_at < $2 OR t.team_id > $3)
    ORDER BY t.created_at DESC, t.team_id LIMIT $4
) AS t ON true
ORDER BY t.created_at DESC, t.team_id
;
-- pippin_system 1184 17 1184 1184 25 25
UPDATE setup_links SET used_at = $1
WHERE token_hash = $2 AND expires_at > $3 AND (used_at IS NULL OR used_at <= $4) AND NOT EXISTS (SELECT FROM memberships WHERE team_id = $5 AND role = $6)
RETURNING token_hash
;
-- pippin_system 17 1184
SELECT i.team_id, i.invitation_id FROM invitations i JOIN teams t ON t.team_id = i.team_id
WHERE i.token_hash = $1 AND i.expires_at > $2
    AND coalesce(t.closed_at, t.deleted_at) IS NULL
;
-- pippin_system 17 1184
UPDATE setup_links SET used_at = NULL
WHERE token_hash = $1 AND used_at = $2
;
-- pippin_system 17 1184 1184 25 25
SELECT FROM setup_links WHERE token_hash = $1 AND expires_at > $2 AND (used_at IS NULL OR used_at <= $3) AND NOT EXISTS (SELECT FROM memberships WHERE team_id = $4 AND role = $5)
;
-- pippin_system 17 1184 1184 25 25
WITH voided AS (DELETE FROM setup_links)
INSERT INTO setup_links (token_hash, created_at, expires_at)
SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM memberships WHERE team_id = $4 AND role = $5)
;
-- pippin_system 20
SELECT (
    SELECT count(*) FROM teams t WHERE NOT t.is_system
), t.team_id IS NOT NULL, t.team_id, t.name, t.mode, t.identity_sources, t.second_factor, t.apple_keys, t.registration, t.id_token_seconds,
t.requires_verified_domains, t.account_delete_event, t.audit_retention_days, t.accent_colour,
t.privacy_url, t.terms_url, t.is_system, t.version, t.created_at, t.deletion_due_at, t.closed_at,
t.deleted_at
FROM (VALUES (1)) AS one (row) LEFT JOIN (
    SELECT * FROM teams t WHERE NOT t.is_system AND true
    ORDER BY t.created_at DESC, t.team_id LIMIT $1
) AS t ON true
ORDER BY t.created_at DESC, t.team_id
;
-- pippin_system 20
SELECT due.team_id
FROM (
    SELECT team_id, min(check_due_at) AS since FROM domains
    WHERE check_due_at <= now() GROUP BY team_id
    UNION ALL
    SELECT team_id, min(check_due_at) FROM email_sources
    WHERE check_due_at <= now() GROUP BY team_id
) AS due
JOIN teams AS t ON t.team_id = due.team_id AND t.deleted_at IS NULL
GROUP BY due.team_id
ORDER BY min(due.since)
LIMIT $1
;
-- pippin_system 20
SELECT heartbeat::text, seen_at, seen_at > now() - $1 * interval '1 second' FROM heartbeats
;
-- pippin_system 20
SELECT kind, count(*) FILTER (WHERE state = 'pending' AND worker IS NULL AND due_at <= now()),
    count(*) FILTER (WHERE state = 'pending' AND worker IS NULL AND due_at > now()),
    count(*) FILTER (WHERE state = 'pending' AND worker IS NOT NULL),
    count(*) FILTER (WHERE state = 'dead'),
    extract(epoch FROM now() - min(due_at) FILTER (WHERE state = 'pending' AND due_at <= now()))::bigint
FROM jobs WHERE state IN ('pending', 'dead') AND priority <> $1
GROUP BY kind ORDER BY kind
;
-- pippin_system 20
SELECT pippin_empty_time_partition($1::integer)
;
-- pippin_system 20 1009 1009 25
UPDATE jobs j SET due_at = now() + $1 * interval '1 microsecond'
FROM unnest($2, $3) AS mine (team_id, job_id)
WHERE j.team_id = mine.team_id AND j.job_id = mine.job_id
    AND j.state = 'pending' AND j.worker = $4
RETURNING j.team_id, j.job_id
;
-- pippin_system 20 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM jobs WHERE true
        ORDER BY created_at DESC, job_id DESC LIMIT $1
    ) AS counted
), page.job_id IS NOT NULL, page.*
FROM (VALUES (1)) AS one (row) LEFT JOIN (
    SELECT team_id, job_id, kind, priority, CASE WHEN state <> 'pending' THEN state
    WHEN worker IS NULL THEN 'waiting' ELSE 'running' END AS stands, attempts, created_at, due_at, finished_at FROM jobs
    WHERE true 
    ORDER BY created_at DESC, job_id DESC LIMIT $2
) AS page ON true
ORDER BY page.created_at DESC, page.job_id DESC
;
-- pippin_system 20 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM jobs WHERE true AND state = 'dead'
        ORDER BY created_at DESC, job_id DESC LIMIT $1
    ) AS counted
), page.job_id IS NOT NULL, page.*
FROM (VALUES (1)) AS one (row) LEFT JOIN (
    SELECT team_id, job_id, kind, priority, CASE WHEN state <> 'pending' THEN state
    WHEN worker IS NULL THEN 'waiting' ELSE 'running' END AS stands, attempts, created_at, due_at, finished_at FROM jobs
    WHERE true AND state = 'dead' 
    ORDER BY created_at DESC, job_id DESC LIMIT $2
) AS page ON true
ORDER BY page.created_at DESC, page.job_id DESC
;
-- pippin_system 20 25 20 1009
SELECT asked.team_id, (
    SELECT count(*) FROM (SELECT FROM jobs
WHERE state = 'pending' AND priority = $1 AND team_id = asked.team_id AND kind = $2 LIMIT $3) AS waiting
)
FROM unnest($4::text[]) AS asked (team_id)
;
-- pippin_system 20 25 20 20 20 1009 20 1009 20 25 20 20
WITH RECURSIVE walk (team_id, step) AS (
    (
        SELECT team_id, 1 FROM jobs
        WHERE state = 'pending' AND priority = $1 AND team_id > $2
        ORDER BY team_id LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT j.team_id FROM jobs j
        WHERE j.state = 'pending' AND j.priority = $3 AND j.team_id > walk.team_id
        ORDER BY j.team_id LIMIT 1
    ), step + 1
    FROM walk WHERE walk.team_id IS NOT NULL AND step < $4
), picked AS MATERIALIZED (
    SELECT due.team_id, due.job_id
    FROM walk CROSS JOIN LATERAL (
        SELECT j.team_id, j.job_id FROM jobs j
        WHERE j.state = 'pending' AND j.priority = $5 AND j.team_id = walk.team_id
            AND j.due_at <= now() AND j.kind = ANY ($6)
        ORDER BY j.due_at LIMIT $7 FOR UPDATE SKIP LOCKED
    ) AS due
    WHERE walk.team_id <> ALL ($8)
    LIMIT $9
), claimed AS (
    UPDATE jobs j
    SET attempts = j.attempts + 1, worker = $10, due_at = now() + $11 * interval '1 microsecond'
    FROM picked WHERE j.team_id = picked.team_id AND j.job_id = picked.job_id
    RETURNING j.team_id, j.job_id, j.kind, j.attempts
)
SELECT (SELECT CASE WHEN count(team_id) = $12 THEN max(team_id) END FROM walk),
    claimed.team_id, claimed.job_id, claimed.kind, claimed.attempts
FROM (VALUES (1)) AS one (row) LEFT JOIN claimed ON true
;
-- pippin_system 25
DELETE FROM heartbeats WHERE process_id = $1
;
-- pippin_system 25
INSERT INTO heartbeats (process_id, seen_at, heartbeat) VALUES ($1, clock_timestamp(), '{}')
;
-- pippin_system 25
SELECT t.team_id, t.name, t.mode, t.identity_sources, t.second_factor, t.apple_keys, t.registration, t.id_token_seconds,
t.requires_verified_domains, t.account_delete_event, t.audit_retention_days, t.accent_colour,
t.privacy_url, t.terms_url, t.is_system, t.version, t.created_at, t.deletion_due_at, t.closed_at,
t.deleted_at, m.role
FROM memberships m JOIN teams t ON t.team_id = m.team_id
WHERE m.sub = $1 AND t.deleted_at IS NULL
ORDER BY lower(t.name), t.team_id
;
-- pippin_system 25 20
SELECT pippin_apply_retention($1, $2::integer)
;
-- pippin_system 25 20
WITH RECURSIVE walk (team_id, step) AS (
    (
        SELECT team_id, 1 FROM upstream_tokens
        WHERE state = 'ending' AND team_id > $1
        ORDER BY team_id LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT team_id FROM upstream_tokens
        WHERE state = 'ending' AND team_id > walk.team_id
        ORDER BY team_id LIMIT 1
    ), step + 1
    FROM walk WHERE walk.team_id IS NOT NULL AND step < $2
)
SELECT team_id, step, EXISTS (
    SELECT FROM upstream_tokens AS open WHERE open.team_id = walk.team_id AND state = 'ending'
)
FROM walk WHERE team_id IS NOT NULL ORDER BY team_id
;
-- pippin_system 25 20 1184
WITH RECURSIVE walk (team_id, step) AS (
    (
        SELECT team_id, 1 FROM upstream_tokens
        WHERE state = 'live' AND team_id > $1
        ORDER BY team_id LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT team_id FROM upstream_tokens
        WHERE state = 'live' AND team_id > walk.team_id
        ORDER BY team_id LIMIT 1
    ), step + 1
    FROM walk WHERE walk.team_id IS NOT NULL AND step < $2
)
SELECT team_id, step, EXISTS (
    SELECT FROM upstream_tokens AS open WHERE open.team_id = walk.team_id AND state = 'live' AND validate_at <= $3
)
FROM walk WHERE team_id IS NOT NULL ORDER BY team_id
;
-- pippin_system 25 20 1184 1184
WITH RECURSIVE walk (team_id, step) AS (
    (
        SELECT team_id, 1 FROM upstream_requests
        WHERE answered_at IS NOT NULL AND settled_at IS NULL AND team_id > $1
        ORDER BY team_id LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT team_id FROM upstream_requests
        WHERE answered_at IS NOT NULL AND settled_at IS NULL AND team_id > walk.team_id
        ORDER BY team_id LIMIT 1
    ), step + 1
    FROM walk WHERE walk.team_id IS NOT NULL AND step < $2
)
SELECT team_id, step, EXISTS (
    SELECT FROM upstream_requests AS open WHERE open.team_id = walk.team_id AND answered_at < $3 AND settled_at IS NULL AND coalesce(settle_at, answered_at) <= $4
)
FROM walk WHERE team_id IS NOT NULL ORDER BY team_id
;
-- pippin_system 25 25
SELECT CASE WHEN current_setting('transaction_read_only') = 'on' THEN 'database_read_only'
        WHEN current_user <> $1 THEN 'database_role'
        WHEN NOT row_security_active($2::text) THEN 'database_wall' END,
    pg_backend_pid(), pg_postmaster_start_time()
;
-- pippin_system 25 25
SELECT WHERE NOT EXISTS (SELECT FROM memberships WHERE team_id = $1 AND role = $2)
;
-- pippin_system 25 25
SELECT set_config($1, $2, false)
;
-- pippin_system 25 25
WITH forgotten AS (DELETE FROM heartbeats WHERE seen_at < now() - interval '1 day')
INSERT INTO heartbeats (process_id, seen_at, heartbeat)
VALUES ($1, clock_timestamp(), $2::jsonb)
ON CONFLICT (process_id) DO UPDATE SET seen_at = excluded.seen_at, heartbeat = excluded.heartbeat
;
-- pippin_system 25 25 20 25 25 20
SELECT (
    SELECT count(*) FROM (
        SELECT FROM jobs WHERE true AND team_id = $1 AND kind = $2
        ORDER BY created_at DESC, job_id DESC LIMIT $3
    ) AS counted
), page.job_id IS NOT NULL, page.*
FROM (VALUES (1)) AS one (row) LEFT JOIN (
    SELECT team_id, job_id, kind, priority, CASE WHEN state <> 'pending' THEN state
    WHEN worker IS NULL THEN 'waiting' ELSE 'running' END AS stands, attempts, created_at, due_at, finished_at FROM jobs
    WHERE true AND team_id = $4 AND kind = $5 
    ORDER BY created_at DESC, job_id DESC LIMIT $6
) AS page ON true
ORDER BY page.created_at DESC, page.job_id DESC
;
-- pippin_system 25 25 25 25 25 25 20
SELECT (
    SELECT count(*) FROM teams t WHERE NOT t.is_system AND (
    lower(t.name) COLLATE "C" >= lower($1)
        AND lower(t.name) COLLATE "C" < lower($2) || chr(1114111)
    OR t.team_id = upper($3)
)
), t.team_id IS NOT NULL, t.team_id, t.name, t.mode, t.identity_sources, t.second_factor, t.apple_keys, t.registration, t.id_token_seconds,
t.requires_verified_domains, t.account_delete_event, t.audit_retention_days, t.accent_colour,
t.privacy_url, t.terms_url, t.is_system, t.version, t.created_at, t.deletion_due_at, t.closed_at,
t.deleted_at
FROM (VALUES (1)) AS one (row) LEFT JOIN (
    SELECT * FROM teams t WHERE NOT t.is_system AND (
    lower(t.name) COLLATE "C" >= lower($4)
        AND lower(t.name) COLLATE "C" < lower($5) || chr(1114111)
    OR t.team_id = upper($6)
) AND true
    ORDER BY t.created_at DESC, t.team_id LIMIT $7
) AS t ON true
ORDER BY t.created_at DESC, t.team_id
;
