import HTTPServer
import ObjectStore

extension Headers {
    /// Adds `ETag: "<epoch>-<n>"`.
    package mutating func addETag(_ version: StoreVersion) {
        version.withText(isQuoted: true) { add(.etag, $0) }
    }

    /// Adds `Holdfast-Version: <epoch>-<n>`.
    package mutating func addStoreVersion(_ version: StoreVersion) {
        version.withText(isQuoted: false) { add(.holdfastVersion, $0) }
    }
}
