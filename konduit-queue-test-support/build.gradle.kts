plugins {
    `java-library`
}

description = "A real PostgreSQL for the tests of this build. Not published."

dependencies {
    api(libs.hikaricp)
    api(libs.jspecify)
    api(libs.postgresql)
    implementation(libs.embedded.postgres)
    implementation(libs.testcontainers.postgresql)
    runtimeOnly(libs.embedded.postgres.binaries.darwin.arm64v8)
    runtimeOnly(libs.embedded.postgres.binaries.linux.arm64v8)
}
