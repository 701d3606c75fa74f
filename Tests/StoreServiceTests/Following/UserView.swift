@testable import HoldfastStreams
import HoldfastObjectModel
import HoldfastServiceSupport

@testable import HoldfastStoreService

/// A result, or a property, that users follow as a whole.
struct UserView: Hashable {
    /// What is followed of the objects.
    enum Form: Hashable {
        case aggregate(String, by: String? = nil)
        case sections(by: String)
        case list(sort: String, limit: Int)
        /// What a collection of an object links to.
        case objects(of: String, key: Int)
        case value(of: String, key: Int)
    }

    var className: String
    var filter: String?
    var form: Form

    /// Of the objects of each section those that are shown.
    static let objectCount = 5

    static let all =
        ([
            (nil, .aggregate("count,sum(rank)")),
            ("done == false", .aggregate("count,max(rank)", by: "title")),
            (nil, .aggregate("count", by: "list.title")), (nil, .aggregate("count", by: "note")),
            (nil, .sections(by: "title")), ("list.title == 'a'", .sections(by: "done")),
            (nil, .sections(by: "note")), (nil, .list(sort: "rank", limit: 4)),
            ("rank > 3", .list(sort: "-title", limit: 3)), (nil, .list(sort: "note", limit: 5)),
            (nil, .objects(of: "parts", key: 1)), (nil, .objects(of: "parts", key: 7)),
            (nil, .value(of: "title", key: 2)), (nil, .value(of: "list", key: 3)),
            (nil, .value(of: "note", key: 4)),
        ] as [(String?, Form)]).map { UserView(className: "Task", filter: $0, form: $1) }
        + ([
            (nil, .aggregate("count", by: "owner.team")), (nil, .sections(by: "team")),
            ("ANY tasks.rank > 3", .list(sort: "title", limit: 3)),
            (nil, .objects(of: "members", key: 0)), (nil, .objects(of: "members", key: 1)),
            (nil, .value(of: "owner", key: 2)),
        ] as [(String?, Form)]).map { UserView(className: "List", filter: $0, form: $1) }

    var target: StreamDefinition.Target {
        switch form {
        case .objects(let name, let key), .value(let name, let key):
            .property(
                className: className, key: .int(Int64(key)), name: name, path: [], projection: nil)
        case .aggregate, .sections, .list: .objects(className: className)
        }
    }

    var result: ResultForm? {
        switch form {
        case .aggregate(let operations, let by):
            .aggregate(AggregateText(operations: operations, by: by))
        case .sections(let by):
            .sections(by: by, sort: nil, limit: nil, objectCount: Self.objectCount)
        case .list(let sort, let limit): .list(sort: sort, limit: limit)
        case .objects, .value: nil
        }
    }

    /// What a service shows its caller of it; nil for nothing.
    func content(_ service: TestService) throws -> QueryJSON? {
        var text = QueryText()
        text.filter = filter
        switch form {
        case .aggregate(let operations, let by):
            return try service.page(
                .aggregate(.ofClass(className), AggregateText(operations: operations, by: by)),
                text)?.json
        case .sections(let by):
            return try service.page(
                .sections(.ofClass(className), by: by, objectCount: Self.objectCount), text)?
                .json["sections"]
        case .list(let sort, let limit):
            (text.sort, text.limit) = (sort, limit)
            return try service.page(.objects(.ofClass(className)), text)?.json["objects"]
        case .objects(let name, let key):
            return try service.page(of: name, of: ObjectAddress(className, "\(key)"), text)?
                .json["objects"]
        case .value(let name, let key):
            let object = try service.object(ObjectAddress(className, "\(key)"), fields: name)
            return object.flatMap { QueryJSON($0) }?[name]
        }
    }
}

extension QueryJSON {
    /// The same where something is shown; nil for null and for none.
    var orNilIfEmpty: QueryJSON? { self == .null || self == .array([]) ? nil : self }
}
