import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel

extension Operation {
    /// The fault of a parameter that other services have and this one states otherwise; nil for any other.
    ///
    /// A property's name is what others filter by, and `lastEventId` what stands for the header where a browser's
    /// EventSource is replaced.
    func parameterFault(
        _ fault: RequestFault, of request: Request, _ service: RESTService
    ) -> RequestFault? {
        guard fault.code == "unknown-parameter", let name = fault.errors.first?.parameter else {
            return nil
        }
        let taken = parameters.map(\.name.description)
        let other: (detail: String, hint: String)
        if taken.contains("since"), ["lasteventid", "last-event-id"].contains(name.lowercased()) {
            other = (
                "'\(name)' is the header Last-Event-ID here; in the URL the cursor of an event is 'since'.",
                "since"
            )
        } else if taken.contains("filter"), path.hasPrefix("/v1/classes/{class}"),
            let definition = try? service.rows(for: request).definition.objectClass(
                named: request.parameter(0).string),
            let property = definition.properties.first(where: { $0.name == name })
        {
            let argument = property.isText ? "text" : "arg"
            other = (
                "'\(name)' is a property and no parameter; a filter finds objects by it: "
                    + "filter=\(name) == $0&\(argument)=…, percent-encoded.", "filter"
            )
        } else {
            return nil
        }
        return .single(
            .malformed, fault.code, other.detail, parameter: name, hint: other.hint)
    }
}

extension Property {
    /// Whether a plain text is read in the form of its values.
    fileprivate var isText: Bool {
        switch scalar {
        case .bool, .int, .int8, .int16, .int32, .int64, .float, .double, .mixed, nil: false
        default: true
        }
    }
}
