public import Core
public import EventLoop
public import OAuth
public import Platform
import Postgres

/// Records the events of sign-ins, for the team's inspector and its counts.
///
/// Recording costs no round trip and never fails: events are buffered briefly and written in batches, apart from
/// requests. A crash may lose the last moments; of a flood, events are counted but not stored.
// @unchecked Sendable: accessed only on its loop's thread.
public final class TraceRecorder: TraceSink, @unchecked Sendable {
    private static let interval = Duration.milliseconds(200)
    /// Interval between writes of counts, in nanoseconds; longer, because all loops update the same few rows.
    private static let countInterval: Int64 = 5_000_000_000

    private let loop: EventLoop
    private let store: TraceStore
    private let countStore: DailyCountStore
    public let server: ServerContext
    private let log: Log
    /// The operators' log of refusals.
    public let refusals: RefusalLog

    private var buffer = TraceBuffer()
    private var counts = DailyCounts()
    private let limits: LimitCounts
    private var countedAt = MonotonicTime.now()
    private var isScheduled = false
    private var writing: Task<Void, Never>?

    public init(loop: EventLoop, database: TeamDatabase, server: ServerContext) {
        self.loop = loop
        limits = database.limits
        store = TraceStore(database)
        countStore = DailyCountStore(database)
        self.server = server
        log = server.log
        refusals = RefusalLog(loop: loop, log: server.log)
    }

    /// Number of events dropped or not written since the process started.
    public var dropped: Int { buffer.dropped }

    /// Writes everything that is buffered; the last call before the connections close.
    public func finish() async {
        let earlier = writing
        let last = Task(executorPreference: loop) {
            await earlier?.value
            self.countedAt = .min
            await self.write()
        }
        writing = last
        await last.value
        refusals.flush()
    }

    private func keep(_ trace: PendingTrace, of team: TeamID) {
        buffer.add(trace, of: team)
        schedule()
    }

    private func count(_ measure: Measure, _ subject: String, of team: TeamID) {
        counts.increment(measure, subject, of: team, at: server.clock())
        schedule()
    }

    /// Whether an event is within the limits of what is kept; beyond them it is counted only.
    ///
    /// - Parameter cause: cause of a failure, or what strangers can cause without one.
    private func mayKeep(_ cause: String?, from origin: Origin, in team: TeamID) -> Bool {
        let ofCause =
            cause.map {
                [
                    RateLimit.Use(.traceEventsOfNetwork, by: .network(origin.ip)),
                    RateLimit.Use(.traceEventsOfCause, by: .cause($0)),
                ]
            } ?? []
        return limits.isWithin(ofCause + [RateLimit.Use(.traceEvents, by: .team)], in: team, at: server.clock())
    }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        loop.schedule(after: Self.interval) { [weak self] in
            guard let self else { return }
            let earlier = writing
            writing = Task(executorPreference: loop) {
                await earlier?.value
                await self.write()
            }
        }
    }

    /// Writes team by team, one statement at a time, so that statements of requests run in between.
    private func write() async {
        for (team, traces) in buffer.drain() {
            do throws(PostgresFailure) {
                try await store.write(try await store.resolved(traces, in: team), in: team)
            } catch {
                log(.warning, "sign_ins.not_kept", ("team", team.rawValue), ("cause", "\(describing: error)"))
                buffer.noteDropped(traces.reduce(0) { $0 + max(1, $1.events.count) })
            }
        }
        if MonotonicTime.now() - Self.countInterval >= countedAt {
            countedAt = MonotonicTime.now()
            for (team, counts) in counts.drain() {
                await log.attempt("sign_in_counts.not_kept") { try await countStore.add(counts, in: team) }
            }
        }
        isScheduled = false
        if buffer.count > 0 || !counts.isEmpty { schedule() }
    }

    /// Records the valid authorization request of an app.
    public func begin(
        _ request: AuthorizationRequest, sent fields: [FormCoding.Field], as id: InteractionID, in team: TeamID,
        at moment: Timestamp, from origin: () -> Origin
    ) {
        let origin = origin()
        guard mayKeep("opening", from: origin, in: team) else { return }
        let event = TraceEvent(
            .authorization, at: moment, from: origin,
            sent: fields.isEmpty ? TraceEvent.facts(of: request) : TraceEvent.facts(of: fields))
        var trace = PendingTrace(TraceID(of: id, begunAt: moment))
        trace.clientID = request.clientID
        trace.isTest = request.testSignIn != nil
        trace.opening = event
        keep(trace, of: team)
    }

    /// Records an event of a user's sign-in to an app.
    public func record(_ event: TraceEvent, of interaction: Interaction, by subject: Subject?) {
        guard let app = interaction.app else { return }
        let team = interaction.team
        if let cause = event.cause { count(.failure, cause.rawValue, of: team) }
        if event.kind == .answered, app.testSignIn == nil { count(.signIn, app.clientID.rawValue, of: team) }
        // What strangers cause leaves room for people who are known.
        let cause = event.cause?.rawValue ?? (subject == nil ? event.kind.rawValue : nil)
        guard mayKeep(cause, from: event.origin, in: team) else { return count(.unkept, "", of: team) }
        var trace = PendingTrace(TraceID(of: interaction.id, begunAt: interaction.createdAt))
        trace.clientID = app.clientID
        trace.subject = subject
        trace.isTest = app.testSignIn != nil
        trace.opening = TraceEvent(
            .authorization, at: interaction.createdAt, from: .local, sent: TraceEvent.facts(of: app))
        trace.events = [event]
        stand(event, &trace)
        keep(trace, of: team)
    }

    /// Records the redemption of a sign-in's code.
    public func redeem(_ event: TraceEvent, of id: TraceID, in team: TeamID) {
        var trace = PendingTrace(id)
        trace.events = [event]
        keep(trace, of: team)
    }

    private func stand(_ event: TraceEvent, _ trace: inout PendingTrace) {
        trace.outcome = event.kind.outcome ?? .open
        trace.cause = event.cause
        if trace.outcome == .failed { trace.reference = event.origin.requestID }
    }

    /// Records the complete sign-in of a native app that exchanged the result of Apple's sign-in.
    public func arrive(_ subject: Subject, at app: ClientID, in team: TeamID, from origin: Origin) {
        count(.signIn, app.rawValue, of: team)
        let moment = server.clock()
        let event = TraceEvent(.handedOver, at: moment, from: origin, sent: [TraceAttribute("client_id", app.rawValue)])
        guard mayKeep(event.cause?.rawValue, from: origin, in: team) else { return count(.unkept, "", of: team) }
        var trace = PendingTrace(TraceID(ofRequest: origin.requestID, at: moment))
        trace.clientID = app
        trace.subject = subject
        trace.opening = event
        stand(event, &trace)
        keep(trace, of: team)
    }

    /// Records a refusal that belongs to no interaction, in the trace of the code it was sent with.
    public func refuse(
        _ fields: [FormCoding.Field], in team: TeamID, cause: RefusalCause, from origin: Origin,
        after earlier: TraceEvent?, _ event: (Timestamp) -> TraceEvent
    ) {
        count(.failure, cause.rawValue, of: team)
        guard mayKeep(cause.rawValue, from: origin, in: team) else { return count(.unkept, "", of: team) }
        let moment = server.clock()
        let event = event(moment)
        var trace = PendingTrace(TraceID(ofRequest: origin.requestID, at: moment))
        // Left out when it is a secret, because a token sent in the wrong place may have the form of an identifier.
        trace.clientID = fields.first { $0.name == "client_id" }.flatMap { ClientID(rawValue: $0.value) }.flatMap {
            SecretKind.isFound(in: $0.rawValue) ? nil : $0
        }
        trace.opening = earlier ?? event
        if earlier != nil { trace.events = [event] }
        trace.code = fields.first { $0.name == "code" }.flatMap { AuthorizationCode($0.value) }
        stand(event, &trace)
        keep(trace, of: team)
    }
}
