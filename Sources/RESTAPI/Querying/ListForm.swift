import HTTPServer
import ObjectJSON

/// The media types that a list is answered in.
enum ListForm: CaseIterable, Sendable {
    /// A page of objects.
    case json
    /// A FeatureCollection (RFC 7946).
    case geoJSON
    /// Records with a header line (RFC 4180).
    case csv

    /// The type's name.
    var name: StaticString {
        switch self {
        case .json: "application/json"
        case .geoJSON: "application/geo+json"
        case .csv: "text/csv"
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
