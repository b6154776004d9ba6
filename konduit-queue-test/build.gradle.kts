plugins {
    `java-library`
    `maven-publish`
}

description = "For tests of applications: runs handlers on the thread of the test, and lets workers die."

dependencies {
    api(project(":konduit-queue-core"))
    compileOnly(libs.assertj.core)
    compileOnly(libs.spring.boot.test)
    compileOnly(libs.spring.test)

    testImplementation(project(":konduit-queue-spring-boot-starter"))
    testImplementation(project(":konduit-queue-test-support"))
    testImplementation(libs.archunit)
    testImplementation(libs.spring.boot.starter.data.jpa)
    testImplementation(libs.spring.boot.starter.test)
    testRuntimeOnly(libs.junit.platform.launcher)
}
