/// The forms that a list is answered in.
package enum ListForm: CaseIterable, Sendable {
    /// A page of objects.
    case json
    /// A FeatureCollection (RFC 7946).
    case geoJSON
    /// Records with a header line (RFC 4180).
    case csv
}
