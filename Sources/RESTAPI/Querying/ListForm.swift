import HTTPServer

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

    /// The type of the reply.
    var contentType: ContentType {
        switch self {
        case .json: .json
        case .geoJSON: .geoJSON
        case .csv: .csv
        }
    }

    /// The form that a client wants most of those that are offered: by `q`; of equals the one that is named
    /// by itself, then the one that is named first, then the one that is offered first.
    ///
    /// - Throws: ``Problem`` 406 when it takes none, with what is offered.
    static func read(
        _ request: Request, offered: [ListForm] = allCases
    ) throws(Problem) -> ListForm {
        guard let accept = request.header(.accept), !accept.isEmpty, accept != "*/*",
            accept != "application/json"
        else { return .json }
        var best: (form: ListForm, acceptance: Acceptance)?
        for form in offered {
            for accept in request.headers(.accept) {
                guard let found = accept.acceptance(of: form.name), found.quality > 0 else {
                    continue
                }
                if let known = best?.acceptance,
                    (known.quality, known.precision, -known.place)
                        >= (found.quality, found.precision, -found.place)
                {
                    continue
                }
                best = (form, found)
            }
        }
        if let best { return best.form }
        var names = offered.map { "\($0.name)" }
        let last = names.removeLast()
        throw Problem(
            406, "not-acceptable",
            "This operation answers \(names.joined(separator: ", ")) and \(last), which Accept leaves "
                + "out.")
    }
}
