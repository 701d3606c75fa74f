import HoldfastHTTPServer
import HoldfastStoreService

/// A parameter of operations, as `openapi.yaml` and the store's own document name it among their components.
struct Parameter: Sendable, Equatable {
    /// The part of a request that has the parameter.
    enum Location: Sendable { case query, header }

    /// The name of the component, such as `MinVersion`.
    let component: String
    /// The name in the request, such as `minVersion`.
    let name: StaticString
    let location: Location
    /// Whether it may stand more than once.
    let isRepeatable: Bool

    private init(
        _ component: String, _ name: StaticString, _ location: Location = .query,
        isRepeatable: Bool = false
    ) {
        self.component = component
        self.name = name
        self.location = location
        self.isRepeatable = isRepeatable
    }

    static func == (left: Parameter, right: Parameter) -> Bool { left.component == right.component }

    // MARK: Which objects

    static let key = Parameter("Key", "key")
    static let filter = Parameter("Filter", "filter")
    static let arg = Parameter("Arg", "arg", isRepeatable: true)
    static let text = Parameter("Text", "text", isRepeatable: true)
    static let sort = Parameter("Sort", "sort")
    static let distinct = Parameter("Distinct", "distinct")
    static let limit = Parameter("Limit", "limit")
    static let cursor = Parameter("Cursor", "cursor")
    static let all = Parameter("All", "all")
    static let login = Parameter("Login", "login")
    static let accountCursor = Parameter("AccountCursor", "cursor")

    // MARK: Shown properties

    static let fields = Parameter("Fields", "fields")
    static let expand = Parameter("Expand", "expand")
    static let count = Parameter("Count", "count")
    static let explain = Parameter("Explain", "explain")
    static let geometry = Parameter("Geometry", "geometry")
    static let minVersion = Parameter("MinVersion", "minVersion")
    static let snapshot = Parameter("Snapshot", "snapshot")
    static let projectedFields = Parameter("ProjectedFields", "fields")
    static let shownBy = Parameter("ShownBy", "projection")
    static let shownByRequired = Parameter("ShownByRequired", "projection")
    static let operations = Parameter("Operations", "op")
    static let by = Parameter("By", "by")
    static let having = Parameter("Having", "having")
    static let timeZone = Parameter("TimeZone", "tz")
    static let groupLimit = Parameter("GroupLimit", "limit")
    static let groupOrder = Parameter("GroupOrder", "order")
    static let sectionBy = Parameter("SectionBy", "by")
    static let sectionLimit = Parameter("SectionLimit", "limit")
    static let sectionObjects = Parameter("SectionObjects", "objects")
    static let sectionCount = Parameter("SectionCount", "count")

    // MARK: Elements

    static let at = Parameter("At", "at")
    static let entryKey = Parameter("EntryKey", "key")
    static let entryKeyToRemove = Parameter("EntryKeyToRemove", "key")
    static let elementValue = Parameter("ElementValue", "value")

    // MARK: Writes

    static let proposedClass = Parameter("ProposedClass", "class")
    static let mode = Parameter("Mode", "mode")
    static let atomic = Parameter("Atomic", "atomic")
    static let unknown = Parameter("Unknown", "unknown")
    static let map = Parameter("Map", "map", isRepeatable: true)
    static let skip = Parameter("Skip", "skip", isRepeatable: true)
    static let delimiter = Parameter("Delimiter", "delimiter")
    static let encoding = Parameter("Encoding", "encoding")
    static let decimalComma = Parameter("DecimalComma", "decimalComma")
    static let dateFormat = Parameter("DateFormat", "dateFormat", isRepeatable: true)
    static let trueWord = Parameter("TrueWord", "trueWord")
    static let falseWord = Parameter("FalseWord", "falseWord")
    static let upsert = Parameter("Upsert", "upsert")
    static let dryRun = Parameter("DryRun", "dryRun")
    static let allowDataLoss = Parameter("AllowDataLoss", "allowDataLoss")

    // MARK: Changes

    static let since = Parameter("Since", "since")
    static let pathInside = Parameter("PathInside", "path")
    static let listSort = Parameter("ListSort", "sort")
    static let interval = Parameter("Interval", "interval")
    static let outboxSince = Parameter("OutboxSince", "since")
    static let keyPaths = Parameter("KeyPaths", "keyPaths")
    static let projectedKeyPaths = Parameter("ProjectedKeyPaths", "keyPaths")
    static let old = Parameter("Old", "old")
    static let ticket = Parameter("Ticket", "ticket")
    static let through = Parameter("Through", "through")

    // MARK: Headers

    static let idempotencyKey = Parameter("IdempotencyKey", "Idempotency-Key", .header)
    static let ifMatch = Parameter("IfMatch", "If-Match", .header)
    static let ifMatchRead = Parameter("IfMatchRead", "If-Match", .header)
    static let ifNoneMatchRead = Parameter("IfNoneMatchRead", "If-None-Match", .header)
    static let ifNoneMatchWrite = Parameter("IfNoneMatchWrite", "If-None-Match", .header)
    static let lastEventID = Parameter("LastEventID", "Last-Event-ID", .header)
    static let preferRead = Parameter("PreferRead", "Prefer", .header)
    static let preferWrite = Parameter("PreferWrite", "Prefer", .header)
    static let preferBulk = Parameter("PreferBulk", "Prefer", .header)
    static let preferChanges = Parameter("PreferChanges", "Prefer", .header)
    static let preferOutbox = Parameter("PreferOutbox", "Prefer", .header)
}

// How a path and an operation's id say where the key of an object stands.
extension KeySource {
    /// The rest of the path behind the path of the class.
    var path: String { self == .path ? "/objects/{id}" : "/object" }

    /// The ending of the operation's id.
    var ending: String { self == .path ? "" : "ByKey" }

    var key: [Parameter] { self == .path ? [] : [.key] }
}

/// The kind of container in a path: a class, or a projection of one. Most operations on objects exist
/// for both, and only differ in the properties of this type.
enum ContainerKind: Sendable {
    case objectClass, projection

    /// The path of the container; its name is the path's first parameter.
    var path: String {
        switch self {
        case .objectClass: "/v1/classes/{class}"
        case .projection: "/v1/projections/{projection}"
        }
    }

    /// The id of an operation on its objects: `listObjects` of a class is `listProjectedObjects` of a projection.
    func id(_ verb: String, _ noun: String) -> String {
        verb + (self == .projection ? "Projected" : "") + noun
    }

    /// The choice of properties.
    var fields: [Parameter] { self == .projection ? [.projectedFields] : [.fields] }

    /// The choice of properties and of expanded links; a projection shows its own.
    var shown: [Parameter] { self == .projection ? fields : fields + [.expand] }

    /// The paths with reported changes.
    var keyPaths: [Parameter] { self == .projection ? [.projectedKeyPaths] : [.keyPaths] }

    /// The container that a request's path names.
    func container(_ request: Request) -> ObjectContainer {
        let name = request.parameter(0).string
        return self == .projection ? .projection(name) : .ofClass(name)
    }
}
