/// The program's own version.
package enum ServiceVersion {
    /// Semantic versioning (https://semver.org).
    package static let text = "0.3.0"
}
