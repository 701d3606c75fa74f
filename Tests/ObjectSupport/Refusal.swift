/// The reason of a write that a test refuses in its body.
package struct Refusal: Error {
    package init() {}
}
