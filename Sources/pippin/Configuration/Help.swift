/// Help texts of the commands.
enum Help {
    static func text(for topic: Command.Name?) -> String {
        switch topic {
        case .serve: serve + options
        case .migrate: migrate + options
        case .apply: apply + options
        case .export: export + options
        case .audit: audit + options
        case .doctor: doctor + options
        case .backup: backup + options
        case .restore: restore + options
        case .setupLink: setupLink + options
        case .version: "pippin version\n\nPrints the version.\n"
        case nil: overview
        }
    }

    private static let overview = """
        Pippin runs Sign in with Apple for many teams from one server.

        usage: pippin COMMAND [OPTIONS]

          serve           run the server
          setup-link      print a one-time link for the first operator
          apply FILE      make teams, apps, keys and people as a registry file says
          export TEAMID   print a team as a registry file, secrets left out
          audit verify    hold the audit logs against their seals
          audit export    print a team's audit log
          doctor          look at what is set up, live, and say what to do
          backup FOLDER   copy the database into a folder, or check such a copy
          restore FOLDER  put the copy into an empty database
          migrate         bring the database to this version
          version         print the version

        pippin COMMAND --help tells more. Options of the installation and of serve can come from the environment
        instead: --public-url from PIPPIN_PUBLIC_URL, and so on.

        """

    private static let serve = """
        usage: pippin serve [OPTIONS]

        Runs the server until it gets SIGTERM or SIGINT, then finishes what is under way and stops.
        Without --database it runs its own PostgreSQL in the data directory.

        A supervising process keeps the listening sockets and the database, and a worker serves: one that dies is
        started again at once, and SIGHUP replaces it by the program that lies in its place, without a request lost.

          --user NAME          whom the worker becomes when root starts it (postgres, else nobody)
          --watchdog SECONDS   time without a sign of life after which a worker is ended, and started again if it served
                               (30, at least 5); 0 for never
          --drain SECONDS      how long SIGTERM leaves everything served while /readyz says draining
                               (5; 0 at a terminal, and when the public URL is loopback)
          --demo               load the demo team with its sample app (loopback and http only, --listen too)
          --simulate-apple     put a simulator in Apple's place, at /apple (loopback and http only, --listen too)
          --watch-templates    show edited templates on reload
          --no-migrate         leave the database to `pippin migrate`; start where this release can serve already
          --allow-loopback     let sandbox teams have this machine called: domain checks, notifications
                               (as it is when the public URL is loopback)

        """

    private static let migrate = """
        usage: pippin migrate [--check] [OPTIONS]

        Brings the database to this version and says what it did. `serve` does the same at its start.
        A table that is in use for longer than two seconds is tried again, for ten minutes.

          --check              print what would be applied, and which releases can serve before and after it;
                               change nothing. Exit status: 0 nothing to apply, 2 something, 3 this release
                               does not run on the database, 1 it could not look

        """

    private static let apply = """
        usage: pippin apply FILE.json [--dry-run] [--prune] [--reset-credentials] [--accept-apple-tokens] [OPTIONS]

        Makes the teams of a registry file: prints its plan, and does it in one transaction per team.
        What the file does not name is left alone. Exit status: 0 unchanged or applied, 2 would change
        (with --dry-run), 1 refused, with every reason.

          --dry-run              print the plan and change nothing
          --prune                remove what the file does not name, after showing it
          --reset-credentials    set passwords of people who exist already
          --accept-apple-tokens  let appleKeys become always: Apple's tokens then pass where Apple's issuer is expected

        """

    private static let export = """
        usage: pippin export TEAMID [OPTIONS]

        Prints the team as a registry file that `apply` takes; secrets are left out.

        """

    private static let audit = """
        usage: pippin audit verify [--team TEAMID] [--head POSITION:CODE] [OPTIONS]
               pippin audit export TEAMID [--format csv|ndjson] [--since 2026-01-31] [OPTIONS]

        verify reads every log, or one team's, and names each event that was changed, removed or inserted since
        it was sealed. Exit status: 0 whole, 1 not. export prints a team's log, the newest event first, behind
        an event that records the export.

          --team TEAMID        this team's log only
          --head POSITION:CODE a head that was logged or exported: the log must still hold it (with --team)
          --format csv|ndjson  how events are printed (ndjson)
          --since DAY          nothing older than that day in UTC

        """

    private static let doctor = """
        usage: pippin doctor [--team TEAMID] [OPTIONS]

        Looks at the installation and its teams as others see them: calls Apple with a made-up code for every
        client of every connection, asks for Apple's sign-in page, for the files of domains and for this
        server's own address, compares clocks. Says what is wrong, and what to do. Run it beside `serve`.
        Exit status: 0 nothing is wrong, 1 something is, 2 the command line is.

          --team TEAMID        this team only

        """

    private static let backup = """
        usage: pippin backup FOLDER [OPTIONS]
               pippin backup --check FOLDER [--max-age 26h]

        Copies the database into a new folder by pg_dump, while the server runs. The master key is not in it: keep
        that apart. --check reads a copy and needs no database. Its exit status: 0 good, 1 too old, 2 damaged.

          --max-age HOURS      how old a good copy may be, such as 26h

        """

    private static let restore = """
        usage: pippin restore FOLDER [--end-tokens] [--as-copy | --moved] [OPTIONS]
               pippin restore --end-copy [OPTIONS]

        Puts a copy into a new data directory, or with --database into an empty database. The master key has to be
        there already. Checks the copy before and the audit logs afterwards; a restore that breaks off halfway leaves
        nothing.

          --end-tokens         end all tokens of the copy, also those that were revoked since it was made
          --as-copy            for a second installation beside the first: ends its sessions, drops its jobs, and lets
                               no mail, notification or call to Apple leave it until --end-copy
          --moved              in place of the first, under another --public-url

        """

    private static let setupLink = """
        usage: pippin setup-link [OPTIONS]

        Prints a fresh one-time link for the first operator. It works for 24 hours; older ones stop working.

        """

    private static let options = """

        options of the installation, also from the environment (--public-url from PIPPIN_PUBLIC_URL, and so on):
          --listen HOST:PORT   where to listen (localhost:8080)
          --public-url URL     the origin people reach Pippin under (from --listen when that is loopback)
          --database URL       a PostgreSQL 15 or newer, instead of its own; better from PIPPIN_DATABASE or
                               PIPPIN_DATABASE_URL, where it has a password
          --database-connections N
                               connections to PostgreSQL in all (19 for each loop and 2)
          --loops N            event loops that serve (the cores that the process may use)
          --data DIR           data directory: own PostgreSQL, master key (.pippin)
          --master-key FILE    keys that seal secrets, a line each: an id and 64 hexadecimal digits (made in the data
                               directory); PIPPIN_MASTER_KEY holds the lines themselves, not the name of a file
          --tls-cert FILE      certificate chain in PEM, with --tls-key FILE
          --trusted-proxy CIDR whose X-Forwarded-For and -Proto are believed; several with commas
          --keep-alive SECONDS how long a kept connection may be idle: longer than the proxy in front keeps it
                               (15; 620 for a trusted proxy)
          --hsts SECONDS       how long browsers use https alone for this host (a year, and a day until a request
                               came by TLS); 0 has them forget it
          --connections-per-address N
                               connections from one address, or one /56 of IPv6, at a time (a quarter of what the
                               process takes); for a trusted proxy its clients' requests; 0 for no limit
          --limits NAME=N,…    other numbers for rate limits, such as mail-by-sender=500 (docs/limits.md has the names)
          --relay-domain NAME  host of relay addresses (relay.HOST)
          --dns-server ADDRESS name servers for checks of mail records (the system's); several with commas
          --outgoing-proxy URL proxy that calls to Apple and other servers take (CONNECT): http://USER:PASSWORD@HOST:PORT;
                               better from PIPPIN_OUTGOING_PROXY where it has a password (none; mail does not take it)
          --smtp URL           mail server: smtp://USER:PASSWORD@HOST:PORT, or smtps:// for TLS at once; better from
                               PIPPIN_SMTP, since others can see the command line (mail lands in the console)
          --smtp-ca FILE       certificates of the authorities of the mail server, in PEM (the system's)
          --mail-from ADDRESS  who mail comes from (no-reply@HOST)
          --resources DIR      folder with Templates, Texts, Public and migrations
          --log-level LEVEL    debug, info, warning or error (info)

        """
}
