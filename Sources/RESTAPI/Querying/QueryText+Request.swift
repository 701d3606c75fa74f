import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastQuery
import HoldfastStoreService

extension QueryText {
    /// Reads a query from the parameters of a URL; other names are left to the caller.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for a malformed parameter.
    init(_ request: Request, parser: JSONParser) throws(RequestFault) {
        self.init()
        for (name, value) in request.query {
            switch name.string {
            case "arg":
                arguments.append(try Self.argument(value, parser))
                argumentByteCount += value.bytes.count
            case "text": arguments.append(QueryArgument(text: value.string))
            case "filter": filter = value.string
            case "sort": sort = value.string
            case "distinct": distinct = value.string
            case "cursor": cursor = value.string
            case "fields": fields = value.string
            case "expand": expand = value.string
            case "geometry": geometry = value.string
            case "limit":
                guard let number = value.decimal, let limit = Int(exactly: number) else {
                    throw .parameter(
                        "limit", "'limit' is a number, such as limit=20. " + Self.limitAdvice(nil))
                }
                self.limit = limit
            case "count": counts = try Self.flag(value, name: "count", off: "none", on: "exact")
            case "explain":
                explains = try Self.flag(value, name: "explain", off: "false", on: "true")
            default: continue
            }
        }
    }

    private static func flag(
        _ value: RequestText, name: String, off: StaticString, on: StaticString
    ) throws(RequestFault) -> Bool {
        if value == on { return true }
        if value == off { return false }
        throw .parameter(name, "'\(name)' is '\(off)' or '\(on)'.")
    }

    private static func argument(_ value: RequestText, _ parser: JSONParser) throws(RequestFault)
        -> QueryArgument
    {
        let detail =
            "'arg' is a JSON value, such as arg=5, arg=\"Berlin\" with its quotes, or "
            + "arg={\"$date\":\"2026-11-20T00:00:00Z\"}; use 'text' for a plain string."
        let json: JSONValue
        do {
            json = try parser.parse(UnsafeRawBufferPointer(value.bytes), depthMax: 16)
        } catch {
            throw .parameter("arg", detail)
        }
        guard let argument = ArgumentReader.argument(json) else {
            throw .parameter("arg", ArgumentReader.exceededLimit(json) ?? detail)
        }
        return argument
    }
}

extension ListForm {
    /// The media type's name.
    var name: StaticString {
        switch self {
        case .json: "application/json"
        case .geoJSON: "application/geo+json"
        case .csv: "text/csv"
        }
    }

    var contentType: ContentType {
        switch self {
        case .json: .json
        case .geoJSON: .geoJSON
        case .csv: .csv
        }
    }

    /// The offered forms that a client accepts, the most wanted first. Never empty.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable`, with the offered forms, if it accepts no form.
    static func read(
        _ request: Request, offered: [ListForm] = allCases
    ) throws(RequestFault) -> [ListForm] {
        guard request.header(.accept) != nil else { return jsonAlone }
        return try request.accepted(of: offered.map(\.name)).map { offered[$0] }
    }

    private static let jsonAlone: [ListForm] = [.json]
}
