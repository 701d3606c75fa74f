import ObjectJSON

/// What all operations of one kind have in common, whatever the class: the operation of `openapi.yaml`
/// that they are, told for one class.
struct OpenAPIOperation {
    /// The operation's method, in lower case.
    let method: StaticString
    /// The verb that its id begins with.
    let verb: String
    /// What its id ends with.
    var ending = ""
    /// What it does, in a few words.
    let summary: StaticString
    /// Names of shared parameters.
    let parameters: [StaticString]
    /// What it answers when it can't be done.
    let problems: [OpenAPIProblem]

    /// What every operation of a class may answer.
    private static let common: [OpenAPIProblem] = [
        .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .requestTimeout,
        .conflict, .targetTooLong, .misdirectedRequest, .headersTooLarge, .internalError,
        .serviceUnavailable,
    ]
    private static let reading = common + [.notAcceptable]
    private static let writing =
        common + [
            .notAcceptable, .preconditionFailed, .bodyTooLarge, .unsupportedMediaType,
            .unprocessableContent, .insufficientStorage,
        ]

    private static let removing =
        reading + [.preconditionFailed, .unprocessableContent, .insufficientStorage]

    static let list = OpenAPIOperation(
        method: "get", verb: "list", summary: "Query objects",
        parameters: [
            "Filter", "Arg", "Text", "Sort", "Distinct", "Limit", "Cursor", "Fields", "Expand",
            "Count", "Explain", "Geometry", "MinVersion",
        ], problems: reading + [.gone, .unprocessableContent])
    static let create = OpenAPIOperation(
        method: "post", verb: "create", summary: "Create one object, or several in one transaction",
        parameters: ["Mode", "IfMatch", "IfNoneMatchWrite", "PreferWrite", "IdempotencyKey"],
        problems: writing)
    static let patchAll = OpenAPIOperation(
        method: "patch", verb: "patch", ending: "ByFilter",
        summary: "Change all objects that match a filter",
        parameters: ["Filter", "Arg", "Text", "All", "PreferBulk", "IdempotencyKey"],
        problems: reading + [
            .bodyTooLarge, .unsupportedMediaType, .unprocessableContent, .insufficientStorage,
        ])
    static let deleteAll = OpenAPIOperation(
        method: "delete", verb: "delete", ending: "ByFilter",
        summary: "Delete all objects that match a filter",
        parameters: ["Filter", "Arg", "Text", "All", "PreferBulk"],
        problems: reading + [.unprocessableContent, .insufficientStorage])
    static let query = OpenAPIOperation(
        method: "post", verb: "query", summary: "Query objects, the query in the body",
        parameters: ["MinVersion"],
        problems: reading + [
            .gone, .bodyTooLarge, .unsupportedMediaType, .unprocessableContent,
        ])
    static let aggregate = OpenAPIOperation(
        method: "get", verb: "aggregate",
        summary: "Count objects, and take extremes, sums and averages",
        parameters: [
            "Operations", "By", "Filter", "Arg", "Text", "Limit", "Cursor", "Explain", "MinVersion",
        ], problems: reading + [.gone, .unprocessableContent])
    static let sections = OpenAPIOperation(
        method: "get", verb: "section", summary: "Divide the result of a query into sections",
        parameters: [
            "SectionBy", "Filter", "Arg", "Text", "Sort", "SectionLimit", "Cursor",
            "SectionObjects", "Fields", "Expand", "SectionCount", "Explain", "MinVersion",
        ], problems: reading + [.gone, .unprocessableContent])
    static let get = OpenAPIOperation(
        method: "get", verb: "get", summary: "Read one object",
        parameters: ["Fields", "Expand", "MinVersion", "IfMatch", "IfNoneMatchRead"],
        problems: reading + [.preconditionFailed, .unprocessableContent])
    static let put = OpenAPIOperation(
        method: "put", verb: "put", summary: "Create or replace one object",
        parameters: ["IfMatch", "IfNoneMatchWrite", "PreferWrite"], problems: writing)
    static let patch = OpenAPIOperation(
        method: "patch", verb: "patch", summary: "Change some properties of one object",
        parameters: ["Upsert", "IfMatch", "IfNoneMatchWrite", "PreferWrite", "IdempotencyKey"],
        problems: writing)
    static let delete = OpenAPIOperation(
        method: "delete", verb: "delete", summary: "Delete one object",
        parameters: ["IfMatch"], problems: common + [.preconditionFailed, .insufficientStorage])
    static let value = OpenAPIOperation(
        method: "get", verb: "get", ending: "Property", summary: "Read one single-valued property",
        parameters: ["ShownBy", "MinVersion", "IfNoneMatchRead"],
        problems: reading + [.gone, .unprocessableContent])
    static let collection = OpenAPIOperation(
        method: "get", verb: "get", summary: "Read a page of a collection",
        parameters: [
            "Filter", "Arg", "Text", "Sort", "Limit", "Cursor", "Fields", "Expand", "Count",
            "ShownBy", "MinVersion", "IfNoneMatchRead",
        ], problems: reading + [.gone, .unprocessableContent])
    /// The parameters of what adds to a list.
    private static let addingElement: [StaticString] = [
        "At", "IfMatch", "IfNoneMatchWrite", "PreferWrite", "IdempotencyKey",
    ]
    static let addElement = OpenAPIOperation(
        method: "post", verb: "add", ending: "Element", summary: "Add an element",
        parameters: addingElement,
        problems: writing)
    static let getElement = OpenAPIOperation(
        method: "get", verb: "get", ending: "Element", summary: "Read one element",
        parameters: ["MinVersion", "IfNoneMatchRead"], problems: reading)
    static let putElement = OpenAPIOperation(
        method: "put", verb: "put", ending: "Element", summary: "Set one element",
        parameters: ["IfMatch", "IfNoneMatchWrite", "PreferWrite"], problems: writing)
    static let deleteElement = OpenAPIOperation(
        method: "delete", verb: "delete", ending: "Element", summary: "Remove one element",
        parameters: ["IfMatch", "IfNoneMatchWrite", "PreferWrite"], problems: removing)
    static let addToElement = OpenAPIOperation(
        method: "post", verb: "add", ending: "ToElement",
        summary: "Add an element to a list that a mixed value is",
        parameters: addingElement,
        problems: writing)
    static let getInnerElement = OpenAPIOperation(
        method: "get", verb: "get", ending: "InnerElement",
        summary: "Read something inside a mixed value",
        parameters: ["MinVersion", "IfNoneMatchRead"], problems: reading)
    static let putInnerElement = OpenAPIOperation(
        method: "put", verb: "put", ending: "InnerElement",
        summary: "Replace or put something inside a mixed value",
        parameters: ["IfMatch", "IfNoneMatchWrite", "PreferWrite"], problems: writing)
    static let deleteInnerElement = OpenAPIOperation(
        method: "delete", verb: "delete", ending: "InnerElement",
        summary: "Remove something inside a mixed value",
        parameters: ["IfMatch", "IfNoneMatchWrite", "PreferWrite"], problems: removing)
    static let addInnerElement = OpenAPIOperation(
        method: "post", verb: "add", ending: "InnerElement",
        summary: "Add an element to a list inside a mixed value",
        parameters: addingElement,
        problems: writing)
    static let getElementByKey = OpenAPIOperation(
        method: "get", verb: "get", ending: "ElementByKey",
        summary: "Read the value of a key that no path carries",
        parameters: ["EntryKey", "MinVersion", "IfNoneMatchRead"], problems: reading)
    static let putElementByKey = OpenAPIOperation(
        method: "put", verb: "put", ending: "ElementByKey",
        summary: "Set the value of a key that no path carries",
        parameters: ["EntryKey", "IfMatch", "IfNoneMatchWrite", "PreferWrite"], problems: writing)
    static let deleteElementByKey = OpenAPIOperation(
        method: "delete", verb: "delete", ending: "ElementByKey",
        summary: "Remove elements by value, or an entry by a key that no path carries",
        parameters: [
            "EntryKeyToRemove", "ElementValue", "IfMatch", "IfNoneMatchWrite", "PreferWrite",
        ], problems: removing)
    static let importLines = OpenAPIOperation(
        method: "post", verb: "import", summary: "Import objects, one a line",
        parameters: ["Mode", "Atomic"], problems: writing)
    static let exportLines = OpenAPIOperation(
        method: "get", verb: "export", summary: "Export all objects, one a line",
        parameters: ["Fields", "MinVersion"], problems: reading)
    static let changes = OpenAPIOperation(
        method: "get", verb: "stream", ending: "Changes",
        summary: "Follow the objects that match a filter",
        parameters: [
            "Filter", "Arg", "Text", "Fields", "Expand", "Since", "LastEventID", "Limit",
            "PreferChanges",
        ], problems: reading + [.gone, .unprocessableContent])
    static let objectChanges = OpenAPIOperation(
        method: "get", verb: "stream", ending: "ObjectChanges", summary: "Follow one object",
        parameters: ["Fields", "Expand", "Since", "LastEventID", "Limit", "PreferChanges"],
        problems: reading + [.gone])

    static let listProjected = OpenAPIOperation(
        method: "get", verb: "list", summary: "Query objects, as the projection shows them",
        parameters: [
            "Filter", "Arg", "Text", "Sort", "Distinct", "Limit", "Cursor", "ProjectedFields",
            "Count", "Explain", "Geometry", "MinVersion",
        ], problems: reading + [.gone, .unprocessableContent])
    static let getProjected = OpenAPIOperation(
        method: "get", verb: "get", summary: "Read one object, as the projection shows it",
        parameters: ["ProjectedFields", "MinVersion", "IfMatch", "IfNoneMatchRead"],
        problems: reading + [.preconditionFailed, .unprocessableContent])
    static let patchProjected = OpenAPIOperation(
        method: "patch", verb: "patch", summary: "Change one object by its projected names",
        parameters: ["IfMatch", "IfNoneMatchWrite", "PreferWrite", "IdempotencyKey"],
        problems: writing)
    static let patchHeld = OpenAPIOperation(
        method: "patch", verb: "patch", ending: "Property",
        summary: "Change what a property holds by the names of a projection",
        parameters: [
            "ShownByRequired", "IfMatch", "IfNoneMatchWrite", "PreferWrite", "IdempotencyKey",
        ], problems: writing)
    static let projectedChanges = OpenAPIOperation(
        method: "get", verb: "stream", ending: "Changes", summary: "Follow what is projected",
        parameters: [
            "Filter", "Arg", "Text", "ProjectedFields", "Since", "LastEventID", "Limit",
            "PreferChanges",
        ], problems: reading + [.gone, .unprocessableContent])
    static let projectedObjectChanges = OpenAPIOperation(
        method: "get", verb: "stream", ending: "ObjectChanges",
        summary: "Follow what is projected of one object",
        parameters: ["ProjectedFields", "Since", "LastEventID", "Limit", "PreferChanges"],
        problems: reading + [.gone, .unprocessableContent])
    static let createOnly = OpenAPIOperation(
        method: "post", verb: "create", summary: "Create one object, or several in one transaction",
        parameters: ["PreferWrite", "IdempotencyKey"], problems: writing)
    static let importNew = OpenAPIOperation(
        method: "post", verb: "import", summary: "Import objects, one a line",
        parameters: ["Atomic"], problems: writing)
    static let transaction = OpenAPIOperation(
        method: "post", verb: "create", summary: "Several operations in one transaction",
        parameters: ["PreferWrite", "IdempotencyKey"], problems: writing)
    static let outbox = OpenAPIOperation(
        method: "get", verb: "get", ending: "Outbox", summary: "Consume what was taken in",
        parameters: ["OutboxSince", "LastEventID", "Limit", "MinVersion", "PreferOutbox"],
        problems: reading + [.gone, .unprocessableContent])
    static let acknowledge = OpenAPIOperation(
        method: "delete", verb: "acknowledge", ending: "Outbox",
        summary: "Acknowledge what was consumed", parameters: ["Through"],
        problems: reading + [.gone, .insufficientStorage])

    /// The same operation on an object whose key stands in the query.
    var byKey: OpenAPIOperation {
        var same = self
        same.ending = "ByKey"
        return same
    }
}
