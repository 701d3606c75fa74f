import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension ListForm {
    /// The media type's name.
    var name: StaticString {
        switch self {
        case .json: "application/json"
        case .geoJSON: "application/geo+json"
        case .csv: "text/csv"
        }
    }

    /// The type of a reply.
    var contentType: ContentType {
        switch self {
        case .json: .json
        case .geoJSON: .geoJSON
        case .csv: .csv
        }
    }

    /// The forms that a client takes of those that are offered, what it wants most first. Never empty.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable` when it takes none, with what is offered.
    static func read(
        _ request: Request, offered: [ListForm] = allCases
    ) throws(RequestFault) -> [ListForm] {
        guard request.header(.accept) != nil else { return jsonAlone }
        return try request.accepted(of: offered.map(\.name)).map { offered[$0] }
    }

    private static let jsonAlone: [ListForm] = [.json]
}
