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

    private static let jsonAlone: [ListForm] = [.json]

    /// The forms that a client takes of those that are offered, what it wants most first: by `q`; of equals
    /// the one that is named by itself, then the one that is named first, then the one that is offered
    /// first. Never empty.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable` when it takes none, with what is offered.
    static func read(
        _ request: Request, offered: [ListForm] = allCases
    ) throws(RequestFault) -> [ListForm] {
        guard let first = request.header(.accept) else { return jsonAlone }
        // Several lines are one list (RFC 9110, section 5.3).
        let lines = request.headers(.accept).filter { !$0.isEmpty }
        if lines.isEmpty { return jsonAlone }
        if lines.count == 1, first == "*/*" || first == "application/json" { return jsonAlone }
        typealias Rank = (quality: Int, precision: Int, line: Int, place: Int, offer: Int)
        var found: [(form: ListForm, rank: Rank)] = []
        for (offer, form) in offered.enumerated() {
            var best: Rank?
            for (index, line) in lines.enumerated() {
                guard let own = line.acceptance(of: form.name),
                    best.map({ own.precision > $0.precision }) ?? true
                else { continue }
                best = (own.quality, own.precision, -index, -own.place, -offer)
            }
            if let best, best.quality > 0 { found.append((form, best)) }
        }
        if found.isEmpty { throw unacceptable(offered) }
        found.sort { $0.rank > $1.rank }
        return found.map(\.form)
    }

    private static func unacceptable(_ offered: [ListForm]) -> RequestFault {
        var names = offered.map { "\($0.name)" }
        let last = names.removeLast()
        return RequestFault(
            .notAcceptable, "not-acceptable",
            "This operation answers \(names.joined(separator: ", ")) and \(last), which Accept leaves "
                + "out.")
    }
}
