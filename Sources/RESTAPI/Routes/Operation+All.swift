import HTTPServer
import ObjectJSON

extension Operation {
    /// Every operation, in the order of the contract.
    package static let all: [Operation] =
        system + schema + lists + objects(.path) + objects(.parameter) + properties
        + projections + transfer + following + access + health

    private static let system = [
        Operation(.get, "/", "getLinks", nil, .open) { $0.getLinks },
        Operation(.get, "/v1", "getService", .read, .guarded) { $0.getService },
        Operation(.get, "/v1/", "getVersionLinks", nil, .open) { $0.getVersionLinks },
        Operation(.get, "/v1/openapi.json", "getOpenAPI", .read, [.ifNoneMatchRead], .guarded) {
            $0.getOpenAPI
        },
    ]

    private static let schemaPath = "/v1/schema"
    private static let schemaClass = "/v1/schema/classes/{class}"
    private static let schemaChange: [Parameter] = [.dryRun, .allowDataLoss, .ifMatch]
    private static let schema = [
        Operation(.get, schemaPath, "getSchema", .read, [.ifNoneMatchRead], .guarded) {
            $0.getSchema
        },
        Operation(.put, schemaPath, "putSchema", .admin, schemaChange, .schema) { $0.putSchema },
        Operation(
            .get, schemaClass, "getClass", .read, [.ifNoneMatchRead], .guarded + [.notFound]
        ) { $0.getClass },
        Operation(
            .put, schemaClass, "putClass", .admin, schemaChange + [.ifNoneMatchWrite], .schema
        ) { $0.putClass },
        Operation(
            .patch, schemaClass, "patchClass", .admin, schemaChange,
            .schema + [.notFound]
        ) { $0.patchClass },
        Operation(.delete, schemaClass, "deleteClass", .admin, schemaChange, .removing) {
            $0.deleteClass
        },
    ]

    // MARK: Objects

    private static let ofClass = "/v1/classes/{class}"
    /// What states a filter.
    private static let filter: [Parameter] = [.filter, .arg, .text]
    private static let write: [Parameter] = [.ifMatch, .ifNoneMatchWrite, .preferWrite]

    private static let lists = [
        Operation(.get, "/v1/classes", "listClasses", .read, .guarded) { $0.listClasses },
        Operation(
            .get, ofClass + "/objects", "listObjects", .read,
            filter + [
                .sort, .distinct, .limit, .cursor, .fields, .expand, .count, .explain, .geometry,
                .minVersion, .snapshot, .preferRead,
            ], .querying
        ) { $0.listObjects },
        Operation(
            .post, ofClass + "/objects", "createObjects", .write,
            [.mode] + write + [.idempotencyKey], .writing
        ) { $0.createObjects },
        Operation(
            .patch, ofClass + "/objects", "patchObjects", .write,
            filter + [.all, .preferBulk, .idempotencyKey],
            .reading + [
                .bodyTooLarge, .unsupportedMediaType, .unprocessableContent, .insufficientStorage,
            ]
        ) { $0.patchObjects },
        Operation(
            .delete, ofClass + "/objects", "deleteObjects", .write, filter + [.all, .preferBulk],
            .reading + [.unprocessableContent, .insufficientStorage]
        ) { $0.deleteObjects },
        Operation(
            .post, ofClass + "/query", "queryObjects", .read,
            [.minVersion, .snapshot, .preferRead],
            .querying + [.bodyTooLarge, .unsupportedMediaType]
        ) { $0.queryObjects },
        Operation(
            .get, ofClass + "/aggregate", "aggregateObjects", .read,
            aggregate + filter + [
                .limit, .cursor, .explain, .minVersion, .snapshot, .preferRead,
            ],
            .querying
        ) { $0.aggregateObjects },
        Operation(
            .get, ofClass + "/sections", "sectionObjects", .read,
            [.sectionBy] + filter + [
                .sort, .sectionLimit, .cursor, .sectionObjects, .fields, .expand, .sectionCount,
                .explain, .minVersion, .snapshot, .preferRead,
            ], .querying
        ) { $0.sectionObjects },
    ]

    /// The operations on one object, by either form of its key.
    private static func objects(_ source: KeySource) -> [Operation] {
        let path = ofClass + source.path
        let key = source.key
        return [
            Operation(
                .get, path, "getObject" + source.ending, .read,
                key + [
                    .fields, .expand, .minVersion, .snapshot, .ifMatchRead, .ifNoneMatchRead,
                    .preferRead,
                ], .reading + [.gone, .preconditionFailed, .unprocessableContent]
            ) { service in
                { request throws(RequestFault) in try service.readObject(request, source) }
            },
            Operation(.put, path, "putObject" + source.ending, .write, key + write, .writing) {
                service in { request throws(RequestFault) in try service.put(request, source) }
            },
            Operation(
                .patch, path, "patchObject" + source.ending, .write,
                key + [.upsert] + write + [.idempotencyKey], .writing
            ) { service in { request throws(RequestFault) in try service.patch(request, source) } },
            Operation(
                .delete, path, "deleteObject" + source.ending, .write,
                key + [.ifMatch, .ifNoneMatchWrite], .removing + [.methodNotAllowed]
            ) { service in { request throws(RequestFault) in try service.delete(request, source) }
            },
        ]
    }

    // MARK: Properties and elements

    private static let property = ofClass + "/objects/{id}/properties/{property}"
    private static let elements = property + "/elements"
    private static let element = elements + "/{element}"
    private static let inner = element + "/{inner*}"

    private static let properties: [Operation] =
        [
            Operation(
                .get, property, "getProperty", .read,
                filter + [
                    .sort, .limit, .cursor, .fields, .expand, .count, .shownBy, .minVersion,
                    .snapshot,
                    .ifNoneMatchRead, .preferRead,
                ], .querying
            ) { $0.getProperty },
            Operation(
                .patch, property, "patchProperty", .write,
                [.shownByRequired] + write + [.idempotencyKey], .writing
            ) { $0.patchProperty },
            adding(elements, "addElement", .collection),
        ] + changing(elements, "ElementByKey", .parameter)
        + changing(element, "Element", .path) + [adding(element, "addToElement", .path)]
        + changing(inner, "InnerElement", .inner) + [adding(inner, "addInnerElement", .inner)]

    private static func adding(_ path: String, _ id: String, _ source: ElementSource) -> Operation {
        Operation(.post, path, id, .write, [.at] + write + [.idempotencyKey], .writing) {
            service in
            { request throws(RequestFault) in try service.editElement(request, .add, source) }
        }
    }

    /// What reads, sets and removes an element.
    private static func changing(
        _ path: String, _ noun: String, _ source: ElementSource
    ) -> [Operation] {
        let isByKey = source == .parameter
        return [
            Operation(
                .get, path, "get" + noun, .read,
                (isByKey ? [.entryKey] : []) + [
                    .minVersion, .snapshot, .ifNoneMatchRead, .preferRead,
                ],
                .reading + [.gone]
            ) { service in
                { request throws(RequestFault) in try service.readElement(request, source) }
            },
            Operation(
                .put, path, "put" + noun, .write, (isByKey ? [.entryKey] : []) + write, .writing
            ) { service in
                { request throws(RequestFault) in try service.editElement(request, .put, source) }
            },
            Operation(
                .delete, path, "delete" + noun, .write,
                (isByKey ? [.entryKeyToRemove, .elementValue] : []) + write, .changing
            ) { service in
                { request throws(RequestFault) in try service.editElement(request, .delete, source)
                }
            },
        ]
    }

    // MARK: Projections

    private static let projectionsPath = "/v1/projections"
    private static let projection = "/v1/projections/{projection}"
    private static let follow: [Parameter] = [
        .interval, .since, .ticket, .lastEventID, .limit, .preferChanges,
    ]
    private static let followList: [Parameter] = [.listSort] + follow
    private static let followResult: [Parameter] = [
        .interval, .since, .ticket, .lastEventID, .preferRead,
    ]
    private static let aggregate: [Parameter] = [
        .operations, .by, .having, .groupOrder, .timeZone,
    ]
    private static let followSections: [Parameter] =
        [.sectionBy, .sort, .sectionLimit, .sectionObjects] + followResult

    private static let projections: [Operation] =
        [
            Operation(
                .post, "/v1/transactions", "createTransaction", .write,
                [.preferWrite, .idempotencyKey], .writing
            ) { $0.createTransaction },
            Operation(
                .get, projectionsPath, "listProjections", .read, [.ifNoneMatchRead], .guarded
            ) { $0.listProjections },
            Operation(
                .get, projection, "getProjection", .read, [.ifNoneMatchRead],
                .guarded + [.notFound]
            ) { $0.getProjection },
            Operation(
                .put, projection, "putProjection", .admin, [.ifMatch, .ifNoneMatchWrite], .schema
            ) { $0.putProjection },
            Operation(.delete, projection, "deleteProjection", .admin, [.ifMatch], .removing) {
                $0.deleteProjection
            },
            Operation(
                .get, projection + "/objects", "listProjectedObjects", .read,
                filter + [
                    .sort, .distinct, .limit, .cursor, .projectedFields, .count, .explain,
                    .geometry, .minVersion, .snapshot, .preferRead,
                ], .querying
            ) { $0.listProjectedObjects },
            Operation(
                .patch, projection + "/objects", "patchProjectedObjects", .write,
                filter + [.all, .preferBulk, .idempotencyKey],
                .reading + [
                    .bodyTooLarge, .unsupportedMediaType, .unprocessableContent,
                    .insufficientStorage,
                ]
            ) { $0.patchProjectedObjects },
            Operation(
                .post, projection + "/query", "queryProjectedObjects", .read,
                [.minVersion, .snapshot, .preferRead],
                .querying + [.bodyTooLarge, .unsupportedMediaType]
            ) { $0.queryProjectedObjects },
            Operation(
                .get, projection + "/aggregate", "aggregateProjectedObjects", .read,
                aggregate + filter + [
                    .limit, .cursor, .explain, .minVersion, .snapshot, .preferRead,
                ], .querying
            ) { $0.aggregateProjectedObjects },
            Operation(
                .get, projection + "/sections", "sectionProjectedObjects", .read,
                [.sectionBy] + filter + [
                    .sort, .sectionLimit, .cursor, .sectionObjects, .projectedFields,
                    .sectionCount, .explain, .minVersion, .snapshot, .preferRead,
                ], .querying
            ) { $0.sectionProjectedObjects },
            Operation(
                .get, projection + "/export", "exportProjectedObjects", .read,
                [.projectedFields, .minVersion, .snapshot], .reading + [.gone]
            ) { $0.exportProjectedObjects },
        ] + projected(.path) + projected(.parameter) + [
            Operation(
                .get, projection + "/aggregate/changes", "streamProjectedAggregate", .read,
                filter + aggregate + followResult, .querying, isEndless: true
            ) { $0.streamProjectedAggregate },
            Operation(
                .get, projection + "/sections/changes", "streamProjectedSections", .read,
                filter + [.projectedFields] + followSections, .querying, isEndless: true
            ) { $0.streamProjectedSections },
            Operation(
                .get, projection + "/changes", "streamProjectionChanges", .read,
                filter + [.projectedFields, .projectedKeyPaths, .old] + followList, .querying,
                isEndless: true
            ) { $0.streamProjectionChanges },
            Operation(
                .get, projection + "/objects/{id}/changes", "streamProjectedObjectChanges", .read,
                [.projectedFields, .projectedKeyPaths, .old] + follow, .querying, isEndless: true
            ) { $0.streamProjectedObjectChanges },
        ]

    /// The operations on one object as a projection shows it, by either form of its key.
    private static func projected(_ source: KeySource) -> [Operation] {
        let path = projection + source.path
        let key = source.key
        return [
            Operation(
                .get, path, "getProjectedObject" + source.ending, .read,
                key + [
                    .projectedFields, .minVersion, .snapshot, .ifMatchRead, .ifNoneMatchRead,
                    .preferRead,
                ], .reading + [.gone, .preconditionFailed, .unprocessableContent]
            ) { service in
                { request throws(RequestFault) in
                    try service.readObject(request, source, isProjected: true)
                }
            },
            Operation(
                .patch, path, "patchProjectedObject" + source.ending, .write,
                key + write + [.idempotencyKey], .writing
            ) { service in
                { request throws(RequestFault) in try service.patchProjectedObject(request, source)
                }
            },
        ]
    }

    // MARK: Whole classes and stores

    private static let backup = "/v1/backups/{name}"
    private static let transfer = [
        Operation(
            .post, ofClass + "/import", "importObjects", .write,
            [.mode, .atomic, .unknown, .map, .skip, .delimiter, .decimalComma, .dateFormat],
            .writing,
            answer: .upload { $0.importObjects }),
        Operation(
            .get, ofClass + "/export", "exportObjects", .read, [.fields, .minVersion, .snapshot],
            .reading + [.gone]
        ) { $0.exportObjects },
        Operation(
            .post, "/v1/import", "importStore", .admin, [.mode, .unknown],
            .schema + [.methodNotAllowed, .notAcceptable], answer: .upload { $0.importStore }),
        Operation(
            .get, "/v1/export", "exportStore", .read, [.minVersion, .snapshot],
            .guarded + [.methodNotAllowed, .notAcceptable, .conflict, .gone]
        ) { $0.exportStore },
        Operation(
            .get, "/v1/backups", "listBackups", .admin,
            .guarded + [.methodNotAllowed, .notAcceptable, .conflict]
        ) { $0.listBackups },
        Operation(
            .post, "/v1/backups", "createBackup", .admin,
            .guarded + [
                .methodNotAllowed, .notAcceptable, .conflict, .bodyTooLarge, .insufficientStorage,
            ]
        ) { $0.createBackup },
        Operation(
            .get, backup, "getBackup", .admin, .guarded + [.notFound, .methodNotAllowed, .conflict]
        ) { $0.getBackup },
        Operation(
            .delete, backup, "deleteBackup", .admin,
            .guarded + [.notFound, .methodNotAllowed, .conflict]
        ) { $0.deleteBackup },
    ]

    // MARK: Following

    private static let stream = "/v1/streams/{id}"
    private static let following = [
        Operation(
            .get, ofClass + "/outbox", "getOutbox", .read,
            [.outboxSince, .ticket, .lastEventID, .limit, .minVersion, .preferOutbox], .querying,
            isEndless: true
        ) { $0.getOutbox },
        Operation(
            .delete, ofClass + "/outbox", "acknowledgeOutbox", .write, [.through],
            .reading + [.gone, .insufficientStorage]
        ) { $0.acknowledgeOutbox },
        Operation(
            .get, "/v1/changes", "streamChanges", .read, [.old] + follow,
            .guarded + [.notAcceptable, .conflict, .gone], isEndless: true
        ) { $0.streamChanges },
        Operation(
            .get, ofClass + "/aggregate/changes", "streamAggregate", .read,
            filter + aggregate + followResult, .querying, isEndless: true
        ) { $0.streamAggregate },
        Operation(
            .get, ofClass + "/sections/changes", "streamSections", .read,
            filter + [.fields, .expand] + followSections, .querying, isEndless: true
        ) { $0.streamSections },
        Operation(
            .get, ofClass + "/changes", "streamClassChanges", .read,
            filter + [.fields, .expand, .keyPaths, .old] + followList, .querying, isEndless: true
        ) { $0.streamClassChanges },
        Operation(
            .get, ofClass + "/objects/{id}/changes", "streamObjectChanges", .read,
            [.fields, .expand, .keyPaths, .old] + follow, .reading + [.gone], isEndless: true
        ) { $0.streamObjectChanges },
        Operation(
            .get, property + "/changes", "streamPropertyChanges", .read,
            [.pathInside, .fields, .expand, .shownBy] + followResult, .reading, isEndless: true
        ) { $0.streamPropertyChanges },
        Operation(
            .post, "/v1/streams", "createStream", .read, [.preferRead],
            .guarded + [
                .notFound, .notAcceptable, .bodyTooLarge, .unsupportedMediaType,
                .unprocessableContent,
            ]
        ) { $0.createStream },
        Operation(
            .get, stream, "streamQueries", .read, [.since, .ticket, .lastEventID],
            .guarded + [.notFound, .notAcceptable, .conflict, .unprocessableContent],
            isEndless: true
        ) { $0.streamQueries },
        Operation(
            .patch, stream, "patchStream", .read,
            .guarded + [
                .notFound, .notAcceptable, .bodyTooLarge, .unsupportedMediaType,
                .unprocessableContent,
            ]
        ) { $0.patchStream },
        Operation(.delete, stream, "deleteStream", .read, .guarded + [.notFound]) {
            $0.deleteStream
        },
        Operation(
            .post, "/v1/tickets", "createTicket", .read,
            .guarded + [
                .notAcceptable, .bodyTooLarge, .unsupportedMediaType, .unprocessableContent,
            ]
        ) { $0.createTicket },
    ]

    private static let token = "/v1/tokens/{name}"
    private static let tokenChange: [OpenAPIProblem] =
        .guarded + [
            .notAcceptable, .conflict, .bodyTooLarge, .unsupportedMediaType, .unprocessableContent,
            .insufficientStorage,
        ]
    private static let access = [
        Operation(.get, "/v1/tokens", "listTokens", .admin, .guarded + [.notAcceptable]) {
            $0.listTokens
        },
        Operation(.post, "/v1/tokens", "createToken", .admin, tokenChange) { $0.createToken },
        Operation(
            .patch, token, "patchToken", .admin, tokenChange + [.notFound]
        ) { $0.patchToken },
        Operation(
            .delete, token, "deleteToken", .admin, .guarded + [.notFound, .insufficientStorage]
        ) { $0.deleteToken },
    ]

    private static let health = [
        Operation(.get, "/health/live", "getLiveness", nil, .open) { $0.getLiveness },
        Operation(.get, "/health/ready", "getReadiness", nil, .open) { $0.getReadiness },
        Operation(.get, "/metrics", "getMetrics", .read, .guarded) { $0.getMetrics },
    ]
}
