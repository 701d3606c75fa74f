/// A parameter that is a list of paths from an object, with commas between them.
package enum PathParameter: String, Sendable {
    /// What is shown.
    case fields
    /// The links whose objects are shown in the place of their keys.
    case expand
    /// The properties whose changes are told.
    case keyPaths
}
