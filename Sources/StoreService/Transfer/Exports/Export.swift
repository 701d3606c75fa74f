import HoldfastObjectStore
import HoldfastThreads

/// An export that has begun.
package struct Export {
    /// Its text, of which the caller counts in ``limit`` what it has sent.
    package let pieces: ExportCursor
    /// The version that it shows.
    package let version: StoreVersion
    /// The bound.
    package let limit: ExportLimit
    /// The note that its version is held.
    let hold: Lease
}
