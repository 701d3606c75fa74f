import HoldfastObjectJSON

extension RequestFault {
    /// A malformed header, or one that promises what does not hold.
    static func header(_ name: StaticString, _ detail: String) -> RequestFault {
        .single(.malformed, "invalid-header", detail, parameter: name.description)
    }
}
