import HoldfastAccess
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

// The operations that classes and projections share.
extension Operation {
    /// An operation on the objects of a container.
    private static func on(
        _ kind: ContainerKind, _ method: Method, _ path: String, _ id: String, _ right: Right,
        _ parameters: [Parameter], _ problems: [OpenAPIProblem], isEndless: Bool = false,
        _ handler:
            @escaping @Sendable (RESTService) ->
            @Sendable (Request, ContainerKind) throws(RequestFault) -> Outcome
    ) -> Operation {
        Operation(
            method, kind.path + path, id, right, parameters, problems, isEndless: isEndless,
            with(kind, handler))
    }

    /// Parameters that state a filter.
    static let filter: [Parameter] = [.filter, .arg, .text]
    private static let reads: [Parameter] = [.minVersion, .snapshot, .preferRead]
    private static let aggregate: [Parameter] = [.operations, .by, .having, .groupOrder, .timeZone]

    /// The queries of a container, its export, and changes and deletions by a filter.
    static func queries(of kind: ContainerKind) -> [Operation] {
        [
            on(
                kind, .get, "/objects", kind.id("list", "Objects"), .read,
                filter + [.sort, .distinct, .limit, .cursor] + kind.shown
                    + [.count, .explain, .geometry] + reads, .querying
            ) { $0.listObjects }.forUsers(),
            on(
                kind, .patch, "/objects", kind.id("patch", "Objects"), .write,
                filter + [.all, .preferBulk, .idempotencyKey],
                .reading + [
                    .bodyTooLarge, .unsupportedMediaType, .unprocessableContent,
                    .insufficientStorage,
                ]
            ) { $0.patchObjects }.forUsers(),
            on(
                kind, .delete, "/objects", kind.id("delete", "Objects"), .write,
                filter + [.all, .preferBulk],
                .reading + [.unprocessableContent, .insufficientStorage]
            ) { $0.deleteObjects }.forUsers(),
            on(
                kind, .post, "/query", kind.id("query", "Objects"), .read, reads,
                .querying + [.bodyTooLarge, .unsupportedMediaType]
            ) { $0.queryObjects }.forUsers(),
            on(
                kind, .get, "/aggregate", kind.id("aggregate", "Objects"), .read,
                aggregate + filter + [.groupLimit, .cursor, .explain] + reads, .querying
            ) { $0.aggregateObjects }.forUsers(),
            on(
                kind, .get, "/sections", kind.id("section", "Objects"), .read,
                [.sectionBy] + filter + [.sort, .sectionLimit, .cursor, .sectionObjects]
                    + kind.shown + [.sectionCount, .explain] + reads, .querying
            ) { $0.sectionObjects }.forUsers(),
            on(
                kind, .get, "/export", kind.id("export", "Objects"), .read,
                kind.fields + [.minVersion, .snapshot], .reading + [.gone]
            ) { $0.exportObjects }.forUsers(),
        ]
    }

    /// Reads one object, by either form of its key.
    static func readObject(of kind: ContainerKind, _ source: KeySource) -> Operation {
        on(
            kind, .get, source.path, kind.id("get", "Object") + source.ending, .read,
            source.key + kind.shown + [
                .minVersion, .snapshot, .ifMatchRead, .ifNoneMatchRead, .preferRead,
            ], .reading + [.gone, .preconditionFailed, .unprocessableContent]
        ) { service in
            { request, kind throws(RequestFault) in
                try service.readObject(request, source, isProjected: kind == .projection)
            }
        }.forUsers()
    }

    /// The parameters of operations that follow changes.
    static let follow: [Parameter] = [
        .interval, .since, .ticket, .lastEventID, .limit, .preferChanges,
    ]
    /// The parameters of operations that follow a result as a whole.
    static let followResult: [Parameter] = [.interval, .since, .ticket, .lastEventID, .preferRead]

    static func streams(of kind: ContainerKind) -> [Operation] {
        [
            on(
                kind, .get, "/aggregate/changes", kind.id("stream", "Aggregate"), .read,
                filter + aggregate + followResult, .querying, isEndless: true
            ) { $0.streamAggregate }.forUsers(),
            on(
                kind, .get, "/sections/changes", kind.id("stream", "Sections"), .read,
                filter + kind.shown + [.sectionBy, .sort, .sectionLimit, .sectionObjects]
                    + followResult, .querying, isEndless: true
            ) { $0.streamSections }.forUsers(),
            on(
                kind, .get, "/changes",
                kind == .projection ? "streamProjectionChanges" : "streamClassChanges", .read,
                filter + kind.shown + kind.keyPaths + [.old, .listSort] + follow, .querying,
                isEndless: true
            ) { $0.streamClassChanges }.forUsers(),
            on(
                kind, .get, "/objects/{id}/changes", kind.id("stream", "ObjectChanges"), .read,
                kind.shown + kind.keyPaths + [.old] + follow, .querying, isEndless: true
            ) { $0.streamObjectChanges }.forUsers(),
        ]
    }
}
