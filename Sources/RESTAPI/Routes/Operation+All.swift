import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastTransfer

extension Operation {
    package static let all: [Operation] =
        system + schema + classes + objects(.path) + objects(.parameter) + properties
        + projections + transfer + following + access + accounts + health

    private static let system = [
        Operation(.get, "/", "getLinks", nil, .open) { $0.getLinks },
        Operation(.get, "/v1", "getService", .read, .guarded) { $0.getService }.forUsers(),
        Operation(.get, "/v1/", "getVersionLinks", nil, .open) { $0.getVersionLinks },
        Operation(.get, "/v1/openapi.json", "getOpenAPI", .read, [.ifNoneMatchRead], .guarded) {
            $0.getOpenAPI
        }.forUsers(),
    ]

    private static let schemaPath = "/v1/schema"
    private static let schemaClass = "/v1/schema/classes/{class}"
    private static let schemaChange: [Parameter] = [.dryRun, .allowDataLoss, .ifMatch]
    private static let schema = [
        Operation(
            .get, schemaPath, "getSchema", .read, [.ifNoneMatchRead, .preferRead], .guarded
        ) { $0.getSchema }.forUsers(),
        Operation(
            .put, schemaPath, "putSchema", .admin, schemaChange + [.preferRead], .schema
        ) { $0.putSchema },
        Operation(
            .post, schemaPath + "/propose", "proposeClass", .admin, [.proposedClass] + textForm,
            .guarded + [
                .notAcceptable, .bodyTooLarge, .unsupportedMediaType, .unprocessableContent,
            ]
        ) { $0.proposeClass }.withAnyBody().withBody(
            upTo: GuessSample.byteCountMax,
            "The beginning of a file is enough: head -c \(GuessSample.byteCountMax) FILE."),
        Operation(
            .get, schemaClass, "getClass", .read, [.ifNoneMatchRead, .preferRead],
            .guarded + [.notFound]
        ) { $0.getClass }.forUsers(),
        Operation(
            .put, schemaClass, "putClass", .admin,
            schemaChange + [.ifNoneMatchWrite, .preferRead], .schema
        ) { $0.putClass },
        Operation(
            .patch, schemaClass, "patchClass", .admin, schemaChange + [.preferRead],
            .schema + [.notFound]
        ) { $0.patchClass },
        Operation(.delete, schemaClass, "deleteClass", .admin, schemaChange, .removing) {
            $0.deleteClass
        },
    ]

    // MARK: Objects

    private static let ofClass = ContainerKind.objectClass.path
    private static let write: [Parameter] = [.ifMatch, .ifNoneMatchWrite, .preferWrite]

    private static let classes =
        [
            Operation(.get, "/v1/classes", "listClasses", .read, .guarded) { $0.listClasses }
                .forUsers(),
            Operation(
                .post, ofClass + "/objects", "createObjects", .write,
                [.mode] + write + [.idempotencyKey], .writing
            ) { $0.createObjects }.forUsers(),
        ] + queries(of: .objectClass)

    /// The operations on one object, by either form of its key.
    private static func objects(_ source: KeySource) -> [Operation] {
        let path = ofClass + source.path
        let key = source.key
        return [
            readObject(of: .objectClass, source),
            Operation(
                .put, path, "putObject" + source.ending, .write, key + write, .writing,
                with(source) { $0.put }
            ).forUsers(),
            Operation(
                .patch, path, "patchObject" + source.ending, .write,
                key + [.upsert] + write + [.idempotencyKey], .writing, with(source) { $0.patch }
            ).forUsers(),
            Operation(
                .delete, path, "deleteObject" + source.ending, .write,
                key + [.ifMatch, .ifNoneMatchWrite, .preferRead], .removing + [.methodNotAllowed],
                with(source) { $0.delete }
            ).forUsers(),
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
            ) { $0.getProperty }.forUsers(),
            Operation(
                .patch, property, "patchProperty", .write,
                [.shownByRequired] + write + [.idempotencyKey], .writing
            ) { $0.patchProperty }.forUsers(),
            adding(elements, "addElement", .collection),
        ] + changing(elements, "ElementByKey", .parameter)
        + changing(element, "Element", .path) + [adding(element, "addToElement", .path)]
        + changing(inner, "InnerElement", .inner) + [adding(inner, "addInnerElement", .inner)]

    private static func adding(_ path: String, _ id: String, _ source: ElementSource) -> Operation {
        Operation(.post, path, id, .write, [.at] + write + [.idempotencyKey], .writing) { service in
            { request throws(RequestFault) in try service.editElement(request, .add, source) }
        }.forUsers()
    }

    /// The operations that read, set and remove an element.
    private static func changing(
        _ path: String, _ noun: String, _ source: ElementSource
    ) -> [Operation] {
        let isByKey = source == .parameter
        return [
            Operation(
                .get, path, "get" + noun, .read,
                (isByKey ? [.entryKey] : []) + [
                    .minVersion, .snapshot, .ifNoneMatchRead, .preferRead,
                ], .reading + [.gone], with(source) { $0.readElement }
            ).forUsers(),
            Operation(
                .put, path, "put" + noun, .write, (isByKey ? [.entryKey] : []) + write, .writing
            ) { service in
                { request throws(RequestFault) in try service.editElement(request, .put, source) }
            }.forUsers(),
            Operation(
                .delete, path, "delete" + noun, .write,
                (isByKey ? [.entryKeyToRemove, .elementValue] : []) + write, .changing
            ) { service in
                { request throws(RequestFault) in try service.editElement(request, .delete, source)
                }
            }.forUsers(),
        ]
    }

    // MARK: Projections

    private static let projectionsPath = "/v1/projections"
    private static let projection = ContainerKind.projection.path
    private static let projections: [Operation] =
        [
            Operation(
                .post, "/v1/transactions", "createTransaction", .write,
                [.preferWrite, .idempotencyKey], .writing
            ) { $0.createTransaction }.forUsers(),
            Operation(
                .get, projectionsPath, "listProjections", .read, [.ifNoneMatchRead], .guarded
            ) { $0.listProjections }.forUsers(),
            Operation(
                .get, projection, "getProjection", .read, [.ifNoneMatchRead],
                .guarded + [.notFound]
            ) { $0.getProjection }.forUsers(),
            Operation(
                .put, projection, "putProjection", .admin, [.ifMatch, .ifNoneMatchWrite], .schema
            ) { $0.putProjection },
            Operation(.delete, projection, "deleteProjection", .admin, [.ifMatch], .removing) {
                $0.deleteProjection
            },
            Operation(
                .post, projection + "/objects", "createProjectedObjects", .write,
                [.mode] + write + [.idempotencyKey], .writing
            ) { $0.createProjectedObjects }.forUsers(),
        ] + queries(of: .projection) + projected(.path) + projected(.parameter)

    /// The operations on one object as a projection shows it, by either form of its key.
    private static func projected(_ source: KeySource) -> [Operation] {
        [
            readObject(of: .projection, source),
            Operation(
                .put, projection + source.path, "putProjectedObject" + source.ending, .write,
                source.key + write, .writing, with(source) { $0.putProjectedObject }
            ).forUsers(),
            Operation(
                .delete, projection + source.path, "deleteProjectedObject" + source.ending,
                .write, source.key + [.ifMatch, .ifNoneMatchWrite, .preferRead],
                .removing + [.methodNotAllowed], with(source) { $0.deleteProjectedObject }
            ).forUsers(),
            Operation(
                .patch, projection + source.path, "patchProjectedObject" + source.ending, .write,
                source.key + [.upsert] + write + [.idempotencyKey], .writing,
                with(source) { $0.patchProjectedObject }
            ).forUsers(),
        ]
    }

    // MARK: Whole classes and stores

    private static let backup = "/v1/backups/{name}"
    /// The parameters that say how the text of an import into a class is written.
    private static let textForm: [Parameter] = [
        .map, .skip, .delimiter, .encoding, .decimalComma, .dateFormat, .trueWord, .falseWord,
    ]
    private static let transfer = [
        Operation(
            .post, ofClass + "/import", "importObjects", .write,
            [.mode, .atomic, .unknown] + textForm, .writing,
            answer: .upload { $0.importObjects }
        ).forUsers(),
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
    private static let following =
        streams(of: .objectClass) + streams(of: .projection) + [
            Operation(
                .get, ofClass + "/outbox", "getOutbox", .read,
                [.outboxSince, .ticket, .lastEventID, .limit, .minVersion, .preferOutbox],
                .querying,
                isEndless: true
            ) { $0.getOutbox }.forUsers(),
            Operation(
                .delete, ofClass + "/outbox", "acknowledgeOutbox", .write, [.through],
                .reading + [.gone, .insufficientStorage]
            ) { $0.acknowledgeOutbox }.forUsers(),
            Operation(
                .get, "/v1/changes", "streamChanges", .read, [.old] + follow,
                .guarded + [.notAcceptable, .conflict, .gone], isEndless: true
            ) { $0.streamChanges },
            Operation(
                .get, property + "/changes", "streamPropertyChanges", .read,
                [.pathInside, .fields, .expand, .shownBy] + followResult, .reading, isEndless: true
            ) { $0.streamPropertyChanges }.forUsers(),
            Operation(
                .post, "/v1/streams", "createStream", .read, [.preferRead],
                .guarded + [
                    .notFound, .notAcceptable, .bodyTooLarge, .unsupportedMediaType,
                    .unprocessableContent,
                ]
            ) { $0.createStream }.forUsers(),
            Operation(
                .get, stream, "streamQueries", .read, [.since, .ticket, .lastEventID],
                .guarded + [.notFound, .notAcceptable, .conflict, .unprocessableContent],
                isEndless: true
            ) { $0.streamQueries }.forUsers(),
            Operation(
                .patch, stream, "patchStream", .read,
                .guarded + [
                    .notFound, .notAcceptable, .bodyTooLarge, .unsupportedMediaType,
                    .unprocessableContent,
                ]
            ) { $0.patchStream }.forUsers().withoutPatches(),
            Operation(.delete, stream, "deleteStream", .read, .guarded + [.notFound]) {
                $0.deleteStream
            }.forUsers(),
            Operation(
                .post, "/v1/tickets", "createTicket", .read,
                .guarded + [
                    .notAcceptable, .bodyTooLarge, .unsupportedMediaType, .unprocessableContent,
                ]
            ) { $0.createTicket }.forUsers(),
        ]

    private static let document = "/v1/access"
    private static let token = "/v1/tokens/{name}"
    private static let tokenChange: [OpenAPIProblem] =
        .guarded + [
            .notAcceptable, .conflict, .bodyTooLarge, .unsupportedMediaType, .unprocessableContent,
            .insufficientStorage,
        ]
    private static let userAccesses = document + "/users"
    private static let userAccess = userAccesses + "/{id}"
    private static let userChange: [OpenAPIProblem] =
        .guarded + [
            .notAcceptable, .bodyTooLarge, .unsupportedMediaType, .unprocessableContent,
            .insufficientStorage,
        ]
    private static let access = [
        Operation(.get, "/v1/me", "getCaller", .metrics, .guarded + [.notAcceptable]) {
            $0.getCaller
        }.forUsers(.all),
        Operation(
            .get, document, "getAccess", .admin, [.ifNoneMatchRead],
            .guarded + [.notFound, .notAcceptable]
        ) { $0.getAccess },
        Operation(
            .put, document, "putAccess", .admin, [.dryRun, .ifMatch, .ifNoneMatchWrite],
            .schema + [.notAcceptable]
        ) { $0.putAccess },
        Operation(
            .post, document + "/explain", "explainAccess", .admin,
            .guarded + [
                .notFound, .notAcceptable, .bodyTooLarge, .unsupportedMediaType,
                .unprocessableContent,
            ]
        ) { $0.explainAccess },
        Operation(.get, "/v1/audit", "listAuditLines", .admin, .guarded + [.notAcceptable]) {
            $0.listAuditLines
        },
        Operation(.get, "/v1/tokens", "listTokens", .admin, .guarded + [.notAcceptable]) {
            $0.listTokens
        },
        Operation(.post, "/v1/tokens", "createToken", .admin, tokenChange) { $0.createToken },
        Operation(
            .patch, token, "patchToken", .admin, tokenChange + [.notFound]
        ) { $0.patchToken }.withoutPatches(),
        Operation(
            .delete, token, "deleteToken", .admin, .guarded + [.notFound, .insufficientStorage]
        ) { $0.deleteToken },
        Operation(.get, userAccesses, "listUserAccess", .admin, .guarded + [.notAcceptable]) {
            $0.listUserAccess
        },
        Operation(
            .get, userAccess, "getUserAccess", .admin,
            .guarded + [.notAcceptable, .unprocessableContent]
        ) { $0.getUserAccess },
        Operation(.put, userAccess, "putUserAccess", .admin, userChange) { $0.putUserAccess },
    ]

    private static let account = "/v1/accounts/{id}"
    private static let taking: [OpenAPIProblem] = [
        .bodyTooLarge, .unsupportedMediaType, .unprocessableContent, .insufficientStorage,
    ]
    private static let signing: [OpenAPIProblem] =
        .open + taking + [.unauthorized, .tooManyRequests]
    private static let accounts = [
        Operation(
            .get, "/v1/accounts", "listAccounts", .admin, [.login, .limit, .accountCursor],
            .guarded + [.notAcceptable]
        ) { $0.listAccounts },
        Operation(
            .post, "/v1/accounts", "createAccount", .admin,
            .guarded + taking + [.notAcceptable, .conflict]
        ) { $0.createAccount }.forUsers(.anyone),
        Operation(
            .get, account, "getAccount", .admin, .guarded + [.notFound, .notAcceptable]
        ) { $0.getAccount },
        Operation(
            .delete, account, "deleteAccount", .admin,
            .guarded + [.notFound, .insufficientStorage]
        ) { $0.deleteAccount },
        Operation(
            .post, account + "/reset-code", "createResetCode", .admin,
            .guarded + [.notFound, .notAcceptable, .insufficientStorage]
        ) { $0.createResetCode },
        Operation(.post, "/v1/password-resets", "resetPassword", nil, signing) {
            $0.resetPassword
        }.forUsers(.anyone),
        Operation(.put, "/v1/me/password", "changePassword", .write, .guarded + taking) {
            $0.changePassword
        }.forUsers(.all),
        Operation(.post, "/v1/sessions", "createSession", nil, signing + [.notAcceptable]) {
            $0.createSession
        }.forUsers(.anyone),
        Operation(
            .delete, "/v1/sessions", "deleteSessions", .write, .guarded + [.insufficientStorage]
        ) { $0.deleteSessions }.forUsers(.all),
        Operation(
            .delete, "/v1/sessions/current", "deleteSession", .write,
            .guarded + [.insufficientStorage]
        ) { $0.deleteSession }.forUsers(.all),
    ]

    private static let health = [
        Operation(.get, "/health/live", "getLiveness", nil, .open) { $0.getLiveness },
        Operation(.get, "/health/ready", "getReadiness", nil, .open) { $0.getReadiness },
        Operation(.get, "/metrics", "getMetrics", .metrics, .guarded) { $0.getMetrics },
    ]
}
