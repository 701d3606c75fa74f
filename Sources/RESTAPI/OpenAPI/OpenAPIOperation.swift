import HTTPServer

/// What all operations of one kind have in common, whatever the class: an operation of the contract, told for one
/// class.
struct OpenAPIOperation {
    /// The operation of the contract; nil only by a wrong id, which a test would show.
    private let operation: Operation?
    /// The verb that its id begins with.
    let verb: String
    /// What its id ends with.
    private(set) var ending: String
    /// What it does, in a few words.
    let summary: StaticString
    /// Its parameters that classes of this kind do not have.
    private let without: [Parameter]

    private init(
        _ id: String, verb: String, ending: String = "", _ summary: StaticString,
        without: [Parameter] = []
    ) {
        operation = Operation.named(id)
        self.verb = verb
        self.ending = ending
        self.summary = summary
        self.without = without
    }

    /// The operation's method, in lower case.
    var method: String { operation.map { "\($0.method.name)".lowercased() } ?? "get" }

    /// The components that its parameters are. Ints have a type here, so that nobody prefers them as strings.
    var parameters: [String] {
        (operation?.parameters ?? []).filter {
            !without.contains($0) && $0 != .preferRead && $0 != .key
        }
        .map { $0 == .ifMatchRead ? "IfMatch" : $0.component }
    }

    /// What it answers when it can't be done.
    var problems: [OpenAPIProblem] {
        (operation?.problems ?? []).sorted { $0.rawValue < $1.rawValue }
    }

    /// The same operation on an object whose key stands in the query.
    var byKey: OpenAPIOperation {
        var same = self
        same.ending = "ByKey"
        return same
    }
}

// Every kind.
extension OpenAPIOperation {
    static let list = OpenAPIOperation("listObjects", verb: "list", "Query objects")
    static let create = OpenAPIOperation(
        "createObjects", verb: "create", "Create one object, or several in one transaction")
    static let patchAll = OpenAPIOperation(
        "patchObjects", verb: "patch", ending: "ByFilter", "Change all objects that match a filter")
    static let deleteAll = OpenAPIOperation(
        "deleteObjects", verb: "delete", ending: "ByFilter",
        "Delete all objects that match a filter")
    static let query = OpenAPIOperation(
        "queryObjects", verb: "query", "Query objects, the query in the body")
    static let aggregate = OpenAPIOperation(
        "aggregateObjects", verb: "aggregate", "Count objects, and take extremes, sums and averages"
    )
    static let sections = OpenAPIOperation(
        "sectionObjects", verb: "section", "Divide the result of a query into sections")
    static let get = OpenAPIOperation("getObject", verb: "get", "Read one object")
    static let put = OpenAPIOperation("putObject", verb: "put", "Create or replace one object")
    static let patch = OpenAPIOperation(
        "patchObject", verb: "patch", "Change some properties of one object")
    static let delete = OpenAPIOperation("deleteObject", verb: "delete", "Delete one object")
    static let value = OpenAPIOperation(
        "getProperty", verb: "get", ending: "Property", "Read one single-valued property",
        without: [.filter, .arg, .text, .sort, .limit, .cursor, .fields, .expand, .count])
    static let collection = OpenAPIOperation(
        "getProperty", verb: "get", "Read a page of a collection")
    static let addElement = OpenAPIOperation(
        "addElement", verb: "add", ending: "Element", "Add an element")
    static let getElement = OpenAPIOperation(
        "getElement", verb: "get", ending: "Element", "Read one element")
    static let putElement = OpenAPIOperation(
        "putElement", verb: "put", ending: "Element", "Set one element")
    static let deleteElement = OpenAPIOperation(
        "deleteElement", verb: "delete", ending: "Element", "Remove one element")
    static let addToElement = OpenAPIOperation(
        "addToElement", verb: "add", ending: "ToElement",
        "Add an element to a list that a mixed value is")
    static let getInnerElement = OpenAPIOperation(
        "getInnerElement", verb: "get", ending: "InnerElement",
        "Read something inside a mixed value")
    static let putInnerElement = OpenAPIOperation(
        "putInnerElement", verb: "put", ending: "InnerElement",
        "Replace or put something inside a mixed value")
    static let deleteInnerElement = OpenAPIOperation(
        "deleteInnerElement", verb: "delete", ending: "InnerElement",
        "Remove something inside a mixed value")
    static let addInnerElement = OpenAPIOperation(
        "addInnerElement", verb: "add", ending: "InnerElement",
        "Add an element to a list inside a mixed value")
    static let getElementByKey = OpenAPIOperation(
        "getElementByKey", verb: "get", ending: "ElementByKey",
        "Read the value of a key that no path carries")
    static let putElementByKey = OpenAPIOperation(
        "putElementByKey", verb: "put", ending: "ElementByKey",
        "Set the value of a key that no path carries")
    static let deleteElementByKey = OpenAPIOperation(
        "deleteElementByKey", verb: "delete", ending: "ElementByKey",
        "Remove elements by value, or an entry by a key that no path carries")
    static let importLines = OpenAPIOperation(
        "importObjects", verb: "import", "Import objects, one a line")
    static let exportLines = OpenAPIOperation(
        "exportObjects", verb: "export", "Export all objects, one a line")
    static let changes = OpenAPIOperation(
        "streamClassChanges", verb: "stream", ending: "Changes",
        "Follow the objects that match a filter")
    static let objectChanges = OpenAPIOperation(
        "streamObjectChanges", verb: "stream", ending: "ObjectChanges", "Follow one object")
    static let listProjected = OpenAPIOperation(
        "listProjectedObjects", verb: "list", "Query objects, as the projection shows them")
    static let getProjected = OpenAPIOperation(
        "getProjectedObject", verb: "get", "Read one object, as the projection shows it")
    static let patchProjected = OpenAPIOperation(
        "patchProjectedObject", verb: "patch", "Change one object by its projected names")
    static let patchHeld = OpenAPIOperation(
        "patchProperty", verb: "patch", ending: "Property",
        "Change what a property holds by the names of a projection")
    static let projectedChanges = OpenAPIOperation(
        "streamProjectionChanges", verb: "stream", ending: "Changes", "Follow what is projected")
    static let projectedObjectChanges = OpenAPIOperation(
        "streamProjectedObjectChanges", verb: "stream", ending: "ObjectChanges",
        "Follow what is projected of one object")
    static let createOnly = OpenAPIOperation(
        "createObjects", verb: "create", "Create one object, or several in one transaction",
        without: [.mode, .ifMatch, .ifNoneMatchWrite])
    static let importNew = OpenAPIOperation(
        "importObjects", verb: "import", "Import objects, one a line", without: [.mode])
    static let transaction = OpenAPIOperation(
        "createTransaction", verb: "create", "Several operations in one transaction")
    static let outbox = OpenAPIOperation(
        "getOutbox", verb: "get", ending: "Outbox", "Consume what was taken in")
    static let acknowledge = OpenAPIOperation(
        "acknowledgeOutbox", verb: "acknowledge", ending: "Outbox", "Acknowledge what was consumed")
}
