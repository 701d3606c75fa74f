import ObjectJSON

extension RequestFault {
    /// A malformed header, or one that promises what does not hold.
    static func header(_ name: StaticString, _ detail: String) -> RequestFault {
        RequestFault(
            .malformed, "invalid-header", detail,
            errors: [
                Entry(code: "invalid-header", detail: detail, parameter: name.description)
            ])
    }
}
