/// The body of a patch.
package struct PatchBody: Sendable {
    /// Its text.
    package let bytes: RequestBytes
    /// Whether it is a JSON patch and no merge patch.
    package let isJSONPatch: Bool

    /// Names a body.
    package init(_ bytes: RequestBytes, isJSONPatch: Bool) {
        self.bytes = bytes
        self.isJSONPatch = isJSONPatch
    }
}
