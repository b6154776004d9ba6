plugins {
    `java-library`
    alias(libs.plugins.spring.boot)
}

description = "The runnable application. Not published."

dependencies {
    implementation(project(":konduit-queue-spring-boot-starter"))
    implementation(libs.embedded.postgres)
    implementation(libs.spring.boot.starter.actuator)
    implementation(libs.spring.boot.starter.webmvc)
    runtimeOnly(libs.embedded.postgres.binaries.darwin.arm64v8)
    runtimeOnly(libs.embedded.postgres.binaries.linux.arm64v8)
    runtimeOnly(libs.micrometer.registry.prometheus)

    testImplementation(project(":konduit-queue-test"))
    testImplementation(project(":konduit-queue-test-support"))
    testImplementation(libs.spring.boot.starter.test)
    testRuntimeOnly(libs.junit.platform.launcher)
}
